import { secondsSince } from '@tidings/event-store'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Tally } from '../session.ts'
import { unlessStopped } from '../unless-stopped.ts'
import type { Reading } from './from-log.ts'
import { type Membership, reached, refresh } from './membership.ts'
import type { Slice } from './take-messages.ts'

/**
 * One member while it is in its group: its partitions, and their positions in Postgres.
 *
 * `known` is false after a join and after a fault: another member may have worked in these partitions, or Postgres may have lost its last
 * commits. The positions are then read again, and the consumer gets the log's head, before anything is handled.
 */
export type Member = {
  readonly reading: Reading
  readonly membership: Membership
  readonly tally: Tally
  /** Batches and rounds run one after the other. */
  readonly queue: LimitFunction
  readonly maxBatch: number
  known: boolean
  assigned: readonly number[]
  /** When each partition last delivered, in ms of `performance.now()`. */
  readonly lastReceivedAt: Map<number, number>
  /** Whether the relay had published more to these partitions than was handled, at the last reconciliation. */
  behind: boolean
  /** Records that wait in each partition. */
  readonly waiting: Map<number, number>
  /** Fetched and not taken yet: they are taken together. `resolve` gets whether they were handled. */
  readonly fetched: Readonly<{ slice: Slice; resolve: (isDone: boolean) => void }>[]
  /** The first offset that was not handled in each partition, until Kafka has it. */
  readonly offsets: Map<number, string>
}

export function createMember(parts: Pick<Member, 'reading' | 'membership' | 'tally' | 'maxBatch'>): Member {
  return {
    ...parts,
    queue: pLimit(1),
    known: false,
    assigned: [],
    lastReceivedAt: new Map(),
    behind: true,
    waiting: new Map(),
    fetched: [],
    offsets: new Map(),
  }
}

/** The group assigned these partitions. */
export function joined(member: Member, partitions: readonly number[]): void {
  member.known = false
  // An enlarged topic has partitions that nothing is written to.
  member.assigned = partitions.filter((partition) => partition < member.membership.at.length)
  member.behind = true
  member.lastReceivedAt.clear()
  member.waiting.clear()
  member.offsets.clear()
  for (const partition of member.assigned) member.lastReceivedAt.set(partition, performance.now())
}

/** Reads the group's positions unless they are known. Throws `Taken` when the group no longer reads this topic. */
export async function ensurePositions(member: Member): Promise<void> {
  if (member.known) return
  const { reading, membership } = member
  await refresh(reading.pool, membership)
  reading.consumer.opened?.(await unlessStopped(reading.log.head(), reading.signal))
  member.known = true
}

export function report({ tally, membership, assigned, waiting, behind }: Member, last: string | undefined): void {
  const lagEvents = [...waiting.values()].reduce((sum, count) => sum + count, 0)
  const places = assigned.map((partition) => reached(membership, partition))
  tally.position = places.reduce((a, b) => (b.commit > a.commit ? b : a), places[0] ?? tally.position ?? { commit: -1n, prepare: -1n })
  tally.lagEvents = lagEvents
  tally.caughtUp = lagEvents === 0 && !behind
  if (lagEvents === 0) tally.lagSeconds = 0
  else if (last !== undefined) tally.lagSeconds = secondsSince(Number(last))
}
