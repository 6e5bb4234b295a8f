import type { EventLog } from '@tidings/codec'
import { secondsSince } from '@tidings/event-store'
import { Fenced } from '@tidings/jobs'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Handling } from '../../handle-batch.ts'
import type { Tally } from '../../session.ts'
import { unknownIn } from '../../unknown-event.ts'
import { unlessStopped } from '../../unless-stopped.ts'
import { createFeed, type Feed, waiting, waitsSince } from './feed.ts'
import { DeadMember, GroupTaken, type Membership, reached, refresh } from './membership.ts'

/** `signal` ends waiting for the log. `onRead`: called with the time of the oldest event that is handled from the log now, and with null afterwards. */
export type Reading = Handling & Readonly<{ log: EventLog; signal: AbortSignal; onRead?: (created: string | null) => void }>

/**
 * A group in this process, while it reads the topic: its partitions, and their positions in Postgres.
 *
 * `known` is false after each assignment of partitions and after a fault: another process may have worked in these partitions, or Postgres may have
 * lost its last commits. The positions are then read again, and the consumer gets the log's head, before anything is handled.
 */
export type Member = {
  readonly reading: Reading
  readonly membership: Membership
  readonly tally: Tally
  /** The queue in which taken records and rounds run one after the other. */
  readonly queue: LimitFunction
  readonly maxBatch: number
  known: boolean
  assigned: readonly number[]
  /** Rounds for which it reads from the log what was published: it came when records had been given to others. */
  lateRounds: number
  feed: Feed
  /** The time of the oldest event that it handles from the log; null where it does not read the log. */
  readsFrom: string | null
  /** Whether it handles what it was given. */
  isWorking: boolean
  /** The time at which each partition last delivered, in ms of `performance.now()`. */
  readonly lastReceivedAt: Map<number, number>
  /** How often each partition was read from the log since, because it was silent. */
  readonly rescues: Map<number, number>
  /** Whether the relay had published more to these partitions than was handled, at the last reconciliation. */
  behind: boolean
}

/** A group that reads the topic with the others of its process. `work`: it was given something. `leave`: it cannot go on with this reader. */
export type Reader = Readonly<{ member: Member; work: () => void; leave: (error: unknown) => void }>

type MemberOptions = Readonly<{ reading: Reading; membership: Membership; tally: Tally; maxBatch: number }>

export function createMember(parts: MemberOptions): Member {
  const onRead = (created: string | null): void => {
    member.readsFrom = created
  }
  const member: Member = {
    ...parts,
    reading: { ...parts.reading, onRead },
    queue: pLimit(1),
    known: false,
    assigned: [],
    lateRounds: 0,
    feed: createFeed(),
    readsFrom: null,
    isWorking: false,
    lastReceivedAt: new Map(),
    rescues: new Map(),
    behind: true,
  }
  return member
}

/** The process has these partitions from here on. */
export function assign(member: Member, partitions: readonly number[]): void {
  member.known = false
  // An enlarged topic has partitions that nothing is written to.
  member.assigned = partitions.filter((partition) => partition < member.membership.at.length)
  member.behind = true
  member.feed = createFeed()
  member.readsFrom = null
  member.lastReceivedAt.clear()
  member.rescues.clear()
  for (const partition of member.assigned) member.lastReceivedAt.set(partition, performance.now())
}

/** Reads the group's positions unless they are known. Throws `GroupTaken` when the group no longer reads this topic. */
export async function ensurePositions(member: Member): Promise<void> {
  if (member.known) return
  const { reading, membership } = member
  await refresh(reading.pool, membership)
  reading.consumer.opened?.(await unlessStopped(reading.log.head(), reading.signal))
  member.known = true
}

/** What a fault means for a member: it begins again from its positions, or `leave`s where it must not go on. */
export function faultOf(member: Member, error: unknown, leave: (error: unknown) => void): void {
  member.known = false
  if (error instanceof GroupTaken || error instanceof DeadMember || unknownIn(error) !== null) leave(error)
  else if (!(error instanceof Fenced)) member.reading.onFault?.(error)
}

/** Says how far the member is, and what waits for it. What others were given before a late member came is not counted: it reads that from the log. */
export function report({ tally, membership, assigned, feed, behind, lateRounds, readsFrom }: Member): void {
  const positions = assigned.map((partition) => reached(membership, partition))
  tally.position = positions.reduce(
    (a, b) => (b.commit > a.commit ? b : a),
    positions[0] ?? tally.position ?? { commit: -1n, prepare: -1n },
  )
  const records = waiting(feed)
  tally.lagEvents = lateRounds > 0 ? null : records
  tally.caughtUp = tally.lagEvents === 0 && !behind && readsFrom === null
  const given = records > 0 ? waitsSince(feed) : null
  if (tally.caughtUp) tally.lagSeconds = 0
  else if (readsFrom !== null) tally.lagSeconds = secondsSince(readsFrom)
  else if (given !== null) tally.lagSeconds = secondsSince(Number(given))
}
