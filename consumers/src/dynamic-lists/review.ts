import type { ContactId, MembershipReason, WorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { Job, NewJob } from '@tidings/jobs'

/** SQL: orders reviews that no event caused, in lanes of their own. By the clock, so that it also goes on after a restored backup. */
export const REVIEW_SEQ = '(extract(epoch from clock_timestamp()) * 1000000)::bigint'

/**
 * One contact to be compared with the rules of some lists, or (`timed`) of all lists whose rules time moves. `prepare` completes the
 * position of the event that caused it, which the read models must show first; null where no event did. Then they must show `after`: the head
 * of the log when it was admitted.
 */
export type Review = Readonly<{
  contactId: ContactId
  lists: readonly string[] | 'timed'
  reason: MembershipReason
  prepare: string | null
  after?: Readonly<{ commit: string; prepare: string }>
}>

export function reviewJob(workspaceId: WorkspaceId, seq: bigint, review: Review): NewJob {
  return { workspaceId, lane: laneOf(review), seq, payload: JSON.stringify(review) }
}

/** Reviews of a contact for one kind of cause follow each other. Those that run at once correct each other (docs/adr/0022). */
export function laneOf({ prepare, contactId, reason }: Review): string {
  return prepare === null ? `${contactId}:${reason}` : contactId
}

/** The position of a head, for the payload. */
export function afterHead({ commit, prepare }: Position): Readonly<{ after: Readonly<{ commit: string; prepare: string }> }> {
  return { after: { commit: `${commit}`, prepare: `${prepare}` } }
}

/** The position that the read models must show before the review; null where an older build admitted it. */
export function causeOf({ seq }: Job, { prepare, after }: Review): Position | null {
  if (prepare !== null) return { commit: seq, prepare: BigInt(prepare) }
  return after === undefined ? null : { commit: BigInt(after.commit), prepare: BigInt(after.prepare) }
}

/** The payload that `reviewJob` wrote. */
export function reviewOf(payload: string): Review {
  return JSON.parse(payload) as Review
}
