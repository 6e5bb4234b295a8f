import { secondsSince } from '@tidings/event-store'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Tally } from '../direct-consumer.ts'
import { unlessStopped } from '../told-to-stop.ts'
import type { Reading } from './from-log.ts'
import { type Membership, refresh } from './membership.ts'

/**
 * One member while it is in its group: what Kafka has given it, and what Postgres says about that.
 *
 * `known` is false whenever another member may have been at work in our partitions, or Postgres may have fallen back: after a join, and
 * after a fault. The places are read again then, and the consumer hears where the log ends now, before anything is handled.
 */
export type Member = {
  readonly reading: Reading
  readonly membership: Membership
  readonly tally: Tally
  /** Batches and rounds run one after the other. */
  readonly inTurn: LimitFunction
  readonly maxBatch: number
  known: boolean
  assigned: readonly number[]
  /** When each partition was last heard of, in ms of `performance.now()`. */
  readonly heard: Map<number, number>
  /** Whether the relay has published more to our partitions than we handled, when we last looked round. */
  behind: boolean
  /** Records that wait in each partition. */
  readonly waiting: Map<number, number>
}

export const newMember = (parts: Pick<Member, 'reading' | 'membership' | 'tally' | 'maxBatch'>): Member => ({
  ...parts,
  inTurn: pLimit(1),
  known: false,
  assigned: [],
  heard: new Map(),
  behind: true,
  waiting: new Map(),
})

/** The group has these partitions of ours from now on. */
export function joined(member: Member, partitions: readonly number[]): void {
  member.known = false
  // A topic that was enlarged has partitions that nothing is written to.
  member.assigned = partitions.filter((partition) => partition < member.membership.at.length)
  member.behind = true
  member.heard.clear()
  member.waiting.clear()
  for (const partition of member.assigned) member.heard.set(partition, performance.now())
}

/** Makes sure that the member knows how far its group is. Throws `Taken` when the group has gone from it. */
export async function learn(member: Member): Promise<void> {
  if (member.known) return
  const { reading, membership } = member
  await refresh(reading.pool, membership)
  reading.consumer.opened?.(await unlessStopped(reading.log.head(), reading.signal))
  member.known = true
}

export function report({ tally, membership, assigned, waiting, behind }: Member, last: string | undefined): void {
  const lagEvents = [...waiting.values()].reduce((sum, count) => sum + count, 0)
  const places = assigned.map((partition) => membership.at[partition]).filter((place) => place !== undefined)
  tally.position = places.reduce((a, b) => (b.commit > a.commit ? b : a), places[0] ?? tally.position ?? { commit: -1n, prepare: -1n })
  tally.lagEvents = lagEvents
  tally.caughtUp = lagEvents === 0 && !behind
  if (lagEvents === 0) tally.lagSeconds = 0
  else if (last !== undefined) tally.lagSeconds = secondsSince(Number(last))
}
