import type { EventLog } from '@tidings/codec'
import { comparePositions, laterPosition, type Position, START, secondsSince } from '@tidings/event-store'
import { Fenced } from '@tidings/jobs'
import { transaction } from '@tidings/postgres'
import type { LimitFunction } from 'p-limit'
import pLimit from 'p-limit'
import type { ClientBase, Pool } from 'pg'
import type { Handling } from '../../handle-batch.ts'
import type { Tally } from '../../session.ts'
import { unknownIn } from '../../unknown-event.ts'
import { unlessStopped } from '../../unless-stopped.ts'
import { createFeed, type Feed, waiting, waitsSince } from './feed.ts'

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

/** Decides what a member does after a fault: it begins again from its positions, or `leave`s where it must not go on. */
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

/**
 * The right to handle a group's events from a topic, shared by all its members. `at`: how far the group is in each partition, as Postgres has
 * it. `passed`: where this member is beyond that, because nothing on the way concerns the consumer; Postgres hears of it with the next effect, or a
 * moment later (`writePassed`).
 */
export type Membership = {
  readonly group: string
  readonly topic: string
  readonly relay: string
  readonly epoch: bigint
  readonly at: Position[]
  readonly passed: Map<number, Position>
}

/** The position of this member in a partition. */
export function reached({ at, passed }: Membership, partition: number): Position {
  return laterPosition(at[partition] ?? START, passed.get(partition) ?? START)
}

/** The position up to which nothing in the partition concerns the consumer. */
export function pass({ passed }: Membership, partition: number, to: Position): void {
  passed.set(partition, to)
}

/** The reason for which a group cannot be read from its topic yet. `elsewhere`: it reads another topic, or one that was made anew, and has to leave that first. */
type NotYet = Readonly<{ wait: string; elsewhere: boolean }>

const notYet = (wait: string, elsewhere = false): NotYet => ({ wait, elsewhere })

type Relay = Readonly<{ id: string; types: string[] }>
type Group = Readonly<{ epoch: bigint; relay: string | null; leased: boolean; commit: bigint; prepare: bigint }>
type MembershipRequest = Readonly<{ group: string; topic: string; types: readonly string[] }>

/** Joins a group that exists, taking it from the log where it reads the log and no process has its lease. */
export function openMembership(pool: Pool, { group, topic, types }: MembershipRequest): Promise<Membership | NotYet> {
  return transaction(pool, async (tx) => {
    const relay = (await tx.query<Relay>('select id, types from ops.relay where topic = $1', [topic])).rows[0]
    if (relay === undefined) return notYet(`the relay has not made the topic ${topic} yet: one process must run the role relay`)
    const missing = types.filter((type) => !relay.types.includes(type))
    if (missing.length > 0) return notYet(`the relay of ${topic} does not publish ${missing.join(', ')}: restart it with this version`)
    const { rows } = await tx.query<Group>(
      `select epoch, relay, position_commit as commit, position_prepare as prepare,
              owner is not null and lease_until >= clock_timestamp() as leased
       from ops.consumer_checkpoint where consumer_group = $1 for update`,
      [group],
    )
    const row = rows[0]
    if (row === undefined) return notYet(`the group ${group} does not exist`)
    if (row.leased) return notYet(`another process reads the log for ${group}`)
    if (row.relay !== null && row.relay !== relay.id) return notYet(`${group} reads another topic`, true)
    const epoch = row.relay === null ? await leaveLog(tx, { group, topic, relay: relay.id }) : row.epoch
    return { group, topic, relay: relay.id, epoch, at: await positionsOf(tx, group, epoch), passed: new Map() }
  })
}

/** Sets the group in every partition to where it was in the log. */
async function leaveLog(
  tx: ClientBase,
  { group, topic, relay }: Readonly<{ group: string; topic: string; relay: string }>,
): Promise<bigint> {
  const left = await tx.query<{ epoch: bigint }>(
    `update ops.consumer_checkpoint set relay = $2, owner = null, lease_until = null, epoch = epoch + 1 where consumer_group = $1 returning epoch`,
    [group, relay],
  )
  await tx.query('delete from ops.consumer_partition where consumer_group = $1', [group])
  await tx.query(
    `insert into ops.consumer_partition (consumer_group, partition, epoch, position_commit, position_prepare)
     select c.consumer_group, p.partition, c.epoch, c.position_commit, c.position_prepare
     from ops.consumer_checkpoint c, ops.relay_partition p where c.consumer_group = $1 and p.topic = $2`,
    [group, topic],
  )
  return left.rows[0]?.epoch ?? 0n
}

async function positionsOf(tx: ClientBase | Pool, group: string, epoch: bigint): Promise<Position[]> {
  const { rows } = await tx.query<{ commit: bigint; prepare: bigint }>(
    `select position_commit as commit, position_prepare as prepare from ops.consumer_partition
     where consumer_group = $1 and epoch = $2 order by partition`,
    [group, epoch],
  )
  return rows
}

/** Reads again how far the group is; throws `Fenced` when it was taken from its members. */
async function refresh(pool: Pool, { group, epoch, at, passed }: Membership): Promise<void> {
  const found = await positionsOf(pool, group, epoch)
  if (found.length !== at.length) throw new GroupTaken(group)
  at.splice(0, at.length, ...found)
  passed.clear()
}

/** Whether the group still is where the member believes, in these partitions: in others, other processes move it. */
export async function isTrue(pool: Pool, { group, epoch, at }: Membership, partitions: readonly number[]): Promise<boolean> {
  const found = await positionsOf(pool, group, epoch)
  const isAt = (partition: number) => comparePositions(found[partition] ?? START, at[partition] ?? START) === 0
  return found.length === at.length && partitions.every(isAt)
}

/** The group reads the log now, or another topic: its members have to begin anew. */
export class GroupTaken extends Fenced {
  constructor(group: string) {
    super(`the consumer group ${group} is read in another way now`)
  }
}

/** The client delivers nothing any more: it must be replaced. */
export class DeadMember extends Error {
  override readonly name = 'DeadMember'
}

/** Moves the group in some partitions inside the effect's transaction; throws `Fenced` when that would not be exactly once. */
export async function advancePartitions(tx: ClientBase, membership: Membership, to: ReadonlyMap<number, Position>): Promise<void> {
  const { group, epoch, at } = membership
  const partitions = [...to.keys()].sort((a, b) => a - b)
  const from = partitions.map((partition) => at[partition] ?? START)
  const targets = partitions.map((partition) => to.get(partition) ?? START)
  const moved = await tx.query<{ moved: boolean }>({
    name: 'partitions-advance',
    text: 'select ops.advance_partitions($1, $2, $3, $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[]) as moved',
    values: [
      group,
      epoch,
      partitions,
      from.map(({ commit }) => commit),
      from.map(({ prepare }) => prepare),
      targets.map(({ commit }) => commit),
      targets.map(({ prepare }) => prepare),
    ],
  })
  if (moved.rows[0]?.moved !== true) throw new Fenced(`another member of ${group} was ahead of this one`)
}

type Published = Readonly<{ at: Position; last: readonly Position[] }>

/** The position of the relay, in the log and in each partition; null when it is not the one the group reads. */
export async function publishedBy(pool: Pool, { topic, relay }: Membership): Promise<Published | null> {
  const { rows } = await pool.query<Readonly<{ commit: bigint; prepare: bigint; last_commit: bigint; last_prepare: bigint }>>(
    `select r.position_commit as commit, r.position_prepare as prepare, p.position_commit as last_commit, p.position_prepare as last_prepare
     from ops.relay r join ops.relay_partition p using (topic) where r.topic = $1 and r.id = $2 order by p.partition`,
    [topic, relay],
  )
  const first = rows[0]
  if (first === undefined) return null
  return {
    at: { commit: first.commit, prepare: first.prepare },
    last: rows.map(({ last_commit, last_prepare }) => ({ commit: last_commit, prepare: last_prepare })),
  }
}
