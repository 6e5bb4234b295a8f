/** The reason under which a message of a paused campaign is put off; a resume or a cancel finds it by that. */
export function heldReason(campaignId: string): string {
  return `the campaign ${campaignId} is paused`
}

/** The reason under which a message waits for the end of quiet hours; a change of them finds it by that. */
export const QUIET_HOURS = 'quiet hours'

/** The same of a message of a campaign; a cancel finds it by that too. */
export function quietReason(campaignId: string): string {
  return `${QUIET_HOURS}, campaign ${campaignId}`
}

/** Patterns of all of them, and of that of other messages in quiet hours. */
export const HELD_FOR: readonly string[] = [heldReason('%'), `${QUIET_HOURS}%`]
