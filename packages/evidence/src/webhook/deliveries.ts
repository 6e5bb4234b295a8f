import { type Recorded, webhookDeliveryId } from '@tidings/codec'
import { causeText, type EndpointId, originText, type WorkspaceId } from '@tidings/domain'
import type { Sources } from '../sources.ts'

/** One attempt. `status`: the receiver's answer; `error`: why there was none. */
export type DeliveryTry = Readonly<{
  endpointId: EndpointId
  deliveryId: string
  event: string
  attempt: number
  outcome: 'delivered' | 'retrying' | 'dropped'
  status: number | null
  error: string | null
  durationMs: number
  at: string
  /** The event that it is about, as `stream@revision`; null if an older version made it. */
  source: string | null
}>

/** A delivery that waits; `source` is the event that it is about, also where a person asked for it. `dueAt` null: it was not tried yet, or its workspace is suspended. `attempt` counts those before. */
export type WaitingDelivery = Readonly<{ endpointId: EndpointId; event: string; source: string; attempt: number; dueAt: string | null }>

/** The stream and revision of an event. */
export function sourceOf({ stream, revision }: Pick<Recorded, 'stream' | 'revision'>): string {
  return `${stream}@${revision}`
}

type DeliveryFilter = Readonly<{ workspaceId: WorkspaceId; endpointIds: readonly EndpointId[]; sources: readonly string[] }>

const TRIES = `select endpoint_id as "endpointId", delivery_id as "deliveryId", event, attempt, outcome, status, error, duration_ms as "durationMs",
  at, source from webhooks.attempt`

type TryRow = Omit<DeliveryTry, 'at'> & Readonly<{ at: Date }>

const toTry = (row: TryRow): DeliveryTry => ({ ...row, at: row.at.toISOString() })

/** What is kept of the attempts about these events, oldest first: the last hundred of each endpoint, and not every one that went well. */
export async function triesAbout(
  { pool }: Sources,
  { workspaceId, endpointIds, sources }: DeliveryFilter,
): Promise<readonly DeliveryTry[]> {
  const { rows } = await pool.query<TryRow>(
    `${TRIES} where workspace_id = $1 and endpoint_id = any ($2::uuid[]) and source = any ($3::text[]) order by at, number`,
    [workspaceId, endpointIds, sources],
  )
  return rows.map(toTry)
}

type WantedTries = Readonly<{ workspaceId: WorkspaceId; endpointIds: readonly EndpointId[]; deliveryId: string }>

/** What is kept of the attempts of one delivery, which is to one of these endpoints, oldest first. */
export async function triesOf({ pool }: Sources, { workspaceId, endpointIds, deliveryId }: WantedTries): Promise<readonly DeliveryTry[]> {
  const { rows } = await pool.query<TryRow>(
    `${TRIES} where workspace_id = $1 and endpoint_id = any ($2::uuid[]) and delivery_id = $3 order by number`,
    [workspaceId, endpointIds, deliveryId],
  )
  return rows.map(toTry)
}

const WAITING = `select endpoint_id as "endpointId", event, source, attempt, due_at as "dueAt" from webhooks.delivery`

type WaitingRow = Omit<WaitingDelivery, 'dueAt'> & Readonly<{ dueAt: Date | null }>

const toWaiting = ({ source, dueAt, ...row }: WaitingRow): WaitingDelivery => ({
  ...row,
  source: causeText(source),
  dueAt: dueAt?.toISOString() ?? null,
})

/** Deliveries about these events that wait. */
export async function waitingAbout(
  { pool }: Sources,
  { workspaceId, endpointIds, sources }: DeliveryFilter,
): Promise<readonly WaitingDelivery[]> {
  const { rows } = await pool.query<WaitingRow>(
    `${WAITING} where workspace_id = $1 and endpoint_id = any ($2::uuid[]) and source = any ($3::text[]) order by id`,
    [workspaceId, endpointIds, sources.flatMap((source) => [source, originText({ kind: 'again', source })])],
  )
  return rows.map(toWaiting)
}

type Oldest = Readonly<{ workspaceId: WorkspaceId; endpointIds: readonly EndpointId[]; limit: number }>

/** Deliveries of these endpoints that wait, the oldest first; at most `limit`. */
export async function oldestWaiting({ pool }: Sources, { workspaceId, endpointIds, limit }: Oldest): Promise<readonly WaitingDelivery[]> {
  const { rows } = await pool.query<WaitingRow>(
    `${WAITING} where workspace_id = $1 and endpoint_id = any ($2::uuid[]) order by id limit $3`,
    [workspaceId, endpointIds, limit],
  )
  return rows.map(toWaiting)
}

/** A try in words: what the receiver answered, and how long that took. */
export function saysOfTry({ attempt, outcome, status, error, durationMs, at }: DeliveryTry): string {
  return `try ${attempt} at ${at}: ${status ?? error ?? 'no answer'} after ${durationMs} ms, ${outcome}`
}

/** The id that a waiting delivery has, by what caused it: the event, or the test itself. */
export function idOfWaiting({ event, endpointId }: WaitingDelivery, cause: Pick<Recorded, 'id'>): string {
  return webhookDeliveryId({ event, causeId: cause.id, endpointId })
}
