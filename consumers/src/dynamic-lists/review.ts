import type { MembershipReason } from '@tidings/domain'
import type { NewJob } from '@tidings/inbox'

export const DYNAMIC_LISTS = 'dynamic-lists'

/** SQL: orders reviews that no event caused, in lanes of their own. By the clock, so that it also goes on after a restored backup. */
export const REVIEW_SEQ = '(extract(epoch from clock_timestamp()) * 1000000)::bigint'

/**
 * One contact to be compared with the rules of some lists, or (`timed`) of all lists whose rules time moves. `prepare` completes the
 * position of the event that caused it, which the read models must show first; null where no event did.
 */
export type Review = Readonly<{
  contactId: string
  lists: readonly string[] | 'timed'
  reason: MembershipReason
  prepare: string | null
}>

/** `lane`: reviews of a contact for one kind of cause follow each other. Those that run at once correct each other (docs/adr/0022). */
export function reviewJob(workspaceId: string, seq: bigint, review: Review): NewJob {
  const lane = review.prepare === null ? `${review.contactId}:${review.reason}` : review.contactId
  return { workspaceId, lane, seq, payload: JSON.stringify(review) }
}

/** What `reviewJob` wrote. */
export function reviewOf(payload: string): Review {
  return JSON.parse(payload) as Review
}
