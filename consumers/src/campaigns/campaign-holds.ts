/** The reason under which a message of a paused campaign is put off; a resume or a cancel finds it by that. */
export function heldReason(campaignId: string): string {
  return `the campaign ${campaignId} is paused`
}

/** The reason under which a message of a campaign waits for the end of quiet hours; a cancel finds it by that. */
export function quietReason(campaignId: string): string {
  return `quiet hours, campaign ${campaignId}`
}

/** Patterns of all of them, and of that of other messages in quiet hours. */
export const HELD_FOR: readonly string[] = [heldReason('%'), 'quiet hours%']
