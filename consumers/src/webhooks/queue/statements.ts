import { type EndpointId, NIL_ID, type WorkspaceId, type WorkspaceStatus } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { ClientBase, Pool } from 'pg'

/** One event for one endpoint. `source` says where the event stands, as `stream@revision`. */
export type NewDelivery = Readonly<{ endpointId: EndpointId; workspaceId: WorkspaceId; position: Position; event: string; source: string }>

/** A delivery that the holder of its endpoint's queue has claimed. `attempt` counts the attempts before this one. */
export type Delivery = NewDelivery & Readonly<{ id: bigint; attempt: number; retried: boolean }>

/** One attempt, as an operator can read it afterwards. `source` is the event that it is about. `wasAsked`: a person asked for its delivery. */
export type Attempt = Readonly<{
  endpointId: EndpointId
  source: string
  deliveryId: string
  event: string
  attempt: number
  outcome: 'delivered' | 'retrying' | 'dropped'
  status: number | null
  error: string | null
  ms: number
  at: string
  wasAsked?: boolean
}>

/** `again` null: it goes for good. */
export type Settled = Readonly<{ delivery: Delivery; again: Readonly<{ inMs: number; counts: boolean }> | null; attempt: Attempt | null }>

/** `queues`: those that the owner has leased and has room for, each from behind `after` on. `claimedIds`: deliveries that it has already. */
export type Taking = Readonly<{
  owner: string
  leaseMs: number
  more: number
  room: number
  queues: readonly Readonly<{ endpointId: EndpointId; after: bigint; room: number }>[]
  claimedIds: readonly bigint[]
}>

type ClaimedDeliveryRow = Readonly<{
  endpoint_id: EndpointId
  workspace_id: WorkspaceId
  id: bigint
  position_commit: bigint
  position_prepare: bigint
  event: string
  source: string
  attempt: number
  retried: boolean
}>

/** Claims what is due in the leased queues, and in up to `more` others, which it leases. */
export async function takeDeliveries(pool: Pool, { owner, leaseMs, more, room, queues, claimedIds }: Taking): Promise<readonly Delivery[]> {
  const { rows } = await pool.query<ClaimedDeliveryRow>({
    name: 'webhooks-take',
    text: 'select * from webhooks.take_deliveries($1, $2, $3, $4::uuid[], $5::bigint[], $6::integer[], $7::bigint[], $8)',
    values: [
      owner,
      leaseMs,
      more,
      queues.map(({ endpointId }) => endpointId),
      queues.map(({ after }) => after),
      queues.map((queue) => queue.room),
      claimedIds,
      room,
    ],
  })
  return rows.map((row) => ({
    endpointId: row.endpoint_id,
    workspaceId: row.workspace_id,
    id: row.id,
    position: { commit: row.position_commit, prepare: row.position_prepare },
    event: row.event,
    source: row.source,
    attempt: row.attempt,
    retried: row.retried,
  }))
}

/** Settles deliveries, keeps the attempts `log`, and counts how each attempt went, in one statement. */
export async function settleDeliveries(pool: Pool, settled: readonly Settled[], log: readonly Attempt[]): Promise<void> {
  const counts = outcomesOf(settled)
  await pool.query({
    name: 'webhooks-settle',
    text: `select webhooks.settle_deliveries($1::uuid[], $2::bigint[], $3::bigint[], $4::boolean[], $5::uuid[], $6::uuid[], $7::text[], $8::smallint[],
      $9::text[], $10::smallint[], $11::text[], $12::integer[], $13::timestamptz[], $14::text[]),
      webhooks.count_outcomes($15::uuid[], $16::integer[], $17::integer[], $18::integer[])`,
    values: [
      settled.map(({ delivery }) => delivery.endpointId),
      settled.map(({ delivery }) => delivery.id),
      settled.map(({ again }) => (again === null ? null : Math.round(again.inMs))),
      settled.map(({ again }) => again?.counts ?? null),
      log.map(({ endpointId }) => endpointId),
      log.map(({ deliveryId }) => deliveryId),
      log.map(({ event }) => event),
      log.map(({ attempt }) => attempt),
      log.map(({ outcome }) => outcome),
      log.map(({ status }) => status),
      log.map(({ error }) => error),
      log.map(({ ms }) => Math.round(ms)),
      log.map(({ at }) => at),
      log.map(({ source }) => source),
      counts.map(({ endpointId }) => endpointId),
      counts.map(({ delivered }) => delivered),
      counts.map(({ retrying }) => retrying),
      counts.map(({ dropped }) => dropped),
    ],
  })
}

type OutcomeCounts = { endpointId: EndpointId } & Record<Attempt['outcome'], number>

/** How the attempts of a batch went, by endpoint. */
function outcomesOf(settled: readonly Settled[]): readonly Readonly<OutcomeCounts>[] {
  const counts = new Map<EndpointId, OutcomeCounts>()
  for (const { attempt } of settled) {
    if (attempt === null) continue
    const { endpointId, outcome } = attempt
    const known = counts.get(endpointId) ?? { endpointId, delivered: 0, retrying: 0, dropped: 0 }
    known[outcome]++
    counts.set(endpointId, known)
  }
  return [...counts.values()]
}

/** Prolongs the leases; answers with the endpoints that are still the owner's. */
export async function renewQueues(
  pool: Pool,
  owner: string,
  endpointIds: readonly EndpointId[],
  leaseMs: number,
): Promise<readonly string[]> {
  const { rows } = await pool.query<{ endpoint_id: string }>(
    `update webhooks.queue set lease_until = clock_timestamp() + $3::bigint * interval '1 millisecond'
     where owner = $1 and endpoint_id = any ($2::uuid[]) returning endpoint_id`,
    [owner, endpointIds, leaseMs],
  )
  return rows.map((row) => row.endpoint_id)
}

/** Lets others have the queues, as soon as anything in them is due. */
export async function releaseQueues(pool: Pool, owner: string, endpointIds: readonly EndpointId[]): Promise<void> {
  await pool.query('select webhooks.release_queues($1, $2::uuid[])', [owner, endpointIds])
}

/** An owner that no process is. A queue without an owner is free as soon as something is admitted to it; one that rests is not. */
const RESTING = NIL_ID

/** Gives queues up, and keeps every process from claiming them for so long; what waits in them stays as it is. */
export async function restQueues(pool: Pool, owner: string, endpointIds: readonly EndpointId[], restMs: number): Promise<void> {
  await pool.query(
    `update webhooks.queue set owner = $4, lease_until = clock_timestamp() + $3::bigint * interval '1 millisecond'
     where owner = $1 and endpoint_id = any ($2::uuid[])`,
    [owner, endpointIds, Math.round(restMs), RESTING],
  )
}

/** The time until the first queue with waiting work is free, in ms from now. */
export const FIRST_FREE = `select case when min(free_at) <= clock_timestamp() then 0
  else extract(epoch from min(free_at) - clock_timestamp()) * 1000 end from webhooks.queue where free_at is not null`

/** Releases every queue. Only for a process that knows that the holders are dead; answers how many. */
export async function releaseAllQueues(pool: Pool): Promise<number> {
  const released = await pool.query(
    'update webhooks.queue set owner = null, lease_until = null where owner is not null and lease_until > clock_timestamp()',
  )
  return released.rowCount ?? 0
}

/** Lets what waits for the endpoints of a workspace out of the queues no more while it is suspended, and at once when it no longer is. */
export async function setWorkspaceStatus(tx: ClientBase, workspaceId: WorkspaceId, status: WorkspaceStatus): Promise<void> {
  await tx.query('select webhooks.set_workspace_status($1, $2)', [workspaceId, status])
  if (status === 'suspended') return
  await tx.query('update webhooks.queue set lease_until = null where workspace_id = $1 and owner is null and lease_until is not null', [
    workspaceId,
  ])
}

type Ending = Readonly<{ endpointId: EndpointId; upTo: Position; all: boolean }>

/** Drops what waits for an endpoint; `all`: and everything else that is kept about it here. */
export async function dropWaiting(tx: ClientBase, { endpointId, upTo, all }: Ending): Promise<void> {
  await tx.query('select webhooks.drop_waiting($1, $2, $3, $4)', [endpointId, upTo.commit, upTo.prepare, all])
}

/** No queue is leased, rests or waits for a retry longer: what ends behind this was written while the clock of the database was ahead (M55). */
const LONGEST = `clock_timestamp() + interval '1 hour'`
/** An owner that lives renews its lease within that time. */
const LEFT = `clock_timestamp() + interval '1 minute'`

/** Lets leases and retries of a clock that was ahead end soon; answers how many queues had some. */
export async function shortenQueueLeases(pool: Pool, batch: number): Promise<number> {
  const shortened = await pool.query(
    `with ahead as (select endpoint_id from webhooks.queue where lease_until > ${LONGEST} limit $1 for update skip locked),
     retried as (update webhooks.delivery d set due_at = ${LEFT} from ahead a where d.endpoint_id = a.endpoint_id and d.due_at > ${LONGEST})
     update webhooks.queue q set lease_until = ${LEFT} from ahead a where q.endpoint_id = a.endpoint_id`,
    [batch],
  )
  return shortened.rowCount ?? 0
}
