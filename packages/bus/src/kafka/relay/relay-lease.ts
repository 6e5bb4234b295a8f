import { laterPosition, type Position } from '@tidings/event-store'
import { Fenced, leaseTable, type RowLease } from '@tidings/jobs'
import { transaction } from '@tidings/postgres'
import type { ClientBase, Pool } from 'pg'

/** The right to publish to a topic, which one process at a time has. */
export const topicLeases = leaseTable({ table: 'ops.relay', name: 'topic', expiresAt: 'lease_until', leaseMs: 6_000 })

/** The state of a process that publishes to a topic as the relay `id`. `at`: how far the log is published; `last`: the last position of each partition. */
export type Lead = {
  readonly lease: RowLease
  readonly id: string
  readonly partitions: number
  at: Position
  readonly last: Position[]
}

type PositionRow = Readonly<{ commit: bigint; prepare: bigint }>
type Relay = PositionRow & Readonly<{ id: string; partitions: number; types: string[] }>

/** What is known of a topic without asking Kafka; null before the first relay has made it. `led`: a process leads. */
export async function knownTopic(pool: Pool, topic: string): Promise<Readonly<{ partitions: number; led: boolean }> | null> {
  const { rows } = await pool.query<{ partitions: number; led: boolean }>(
    'select partitions, owner is not null and lease_until >= clock_timestamp() as led from ops.relay where topic = $1',
    [topic],
  )
  return rows[0] ?? null
}

/** The position up to which the log is published to a topic, by any process; null before the first relay has made it. */
export async function publishedUpTo(pool: Pool, topic: string): Promise<Position | null> {
  const { rows } = await pool.query<PositionRow>(
    'select position_commit as commit, position_prepare as prepare from ops.relay where topic = $1',
    [topic],
  )
  return rows[0] ?? null
}

type LeadRequest = Readonly<{ topic: string; owner: string; types: readonly string[]; partitions: number; head: Position }>

/** Acquires the lease of a topic, making its row when it is new. Null while another process publishes. */
export function takeLead(pool: Pool, { topic, owner, types, partitions, head }: LeadRequest): Promise<Lead | null> {
  return transaction(pool, async (tx) => {
    const floor = (await lowestFloor(tx)) ?? head
    await tx.query(
      `with made as (
         insert into ops.relay (topic, partitions, types, position_commit, position_prepare) values ($1, $2, $3, $4, $5)
         on conflict do nothing returning topic)
       insert into ops.relay_partition select topic, n, $4, $5 from made, generate_series(0, $2::int - 1) n`,
      [topic, partitions, types, floor.commit, floor.prepare],
    )
    const lease = await topicLeases.acquire(tx, topic, owner)
    if (lease === null) return null
    const { rows } = await tx.query<Relay>(
      'select id, partitions, position_commit as commit, position_prepare as prepare, types from ops.relay where topic = $1',
      [topic],
    )
    const row = rows[0]
    if (row === undefined) return null
    const at = { commit: row.commit, prepare: row.prepare }
    const from = laterPosition(at, floor)
    const changed = row.types.toSorted().join() !== types.toSorted().join()
    if (changed || from !== at) await beginAnew(tx, topic, from)
    const id = changed ? await changeTypes(tx, topic, types) : row.id
    return { lease, id, partitions: row.partitions, at: from, last: await lastOf(tx, topic) }
  })
}

/** The position up to which every group has handled the log, from the log or from a topic. Null while there is no group. */
async function lowestFloor(tx: ClientBase): Promise<Position | null> {
  const { rows } = await tx.query<PositionRow>(
    `select position_commit as commit, position_prepare as prepare from (
       select position_commit, position_prepare from ops.consumer_checkpoint where relay is null
       union all select position_commit, position_prepare from ops.consumer_partition) f
     order by 1, 2 limit 1`,
  )
  return rows[0] ?? null
}

/** A new chain of positions from `from` on: a group that is not that far reads what lies between from the log. */
async function beginAnew(tx: ClientBase, topic: string, from: Position): Promise<void> {
  const position = [topic, from.commit, from.prepare]
  await tx.query('update ops.relay set position_commit = $2, position_prepare = $3 where topic = $1', position)
  await tx.query('update ops.relay_partition set position_commit = $2, position_prepare = $3 where topic = $1', position)
}

/**
 * The old chain hides that events of the new types are missing from it: under a new id its records are those of another relay, which
 * consumers ignore. They come back to the log for a moment and go on with the new chain.
 */
async function changeTypes(tx: ClientBase, topic: string, types: readonly string[]): Promise<string> {
  const { rows } = await tx.query<{ id: string }>('update ops.relay set types = $2, id = gen_random_uuid() where topic = $1 returning id', [
    topic,
    types,
  ])
  return rows[0]?.id ?? ''
}

async function lastOf(tx: ClientBase, topic: string): Promise<Position[]> {
  const { rows } = await tx.query<PositionRow>(
    'select position_commit as commit, position_prepare as prepare from ops.relay_partition where topic = $1 order by partition',
    [topic],
  )
  return rows
}

/** Moves the checkpoint to `to`, with the new last positions of some partitions; throws `Fenced` when another process publishes. */
export async function moveLead(
  pool: Pool,
  lead: Lead,
  { to, last }: Readonly<{ to: Position; last: ReadonlyMap<number, Position> }>,
): Promise<void> {
  const positions = [...last.values()]
  const moved = await pool.query<{ moved: boolean }>({
    name: 'relay-advance',
    text: 'select ops.advance_relay($1, $2, $3::bigint[], $4::bigint[], $5, $6::bigint[], $7::bigint[], $8) as moved',
    values: [
      lead.lease.name,
      lead.lease.epoch,
      [lead.at.commit, lead.at.prepare],
      [to.commit, to.prepare],
      [...last.keys()],
      positions.map(({ commit }) => commit),
      positions.map(({ prepare }) => prepare),
      topicLeases.leaseMs,
    ],
  })
  if (moved.rows[0]?.moved !== true) throw new Fenced(`another process publishes to ${lead.lease.name}`)
  lead.at = to
  for (const [partition, position] of last) lead.last[partition] = position
}
