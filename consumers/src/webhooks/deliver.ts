import { databaseNow, isoNow } from '@tidings/async/clock'
import { storableText, webhookDeliveryId } from '@tidings/codec'
import { causeText, originOf, type WorkspaceId, type WorkspaceStatus } from '@tidings/domain'
import { type Position, positionText } from '@tidings/event-store'
import { traces } from '@tidings/observability/traces'
import { Blocked, type Caller, CallFailed, Unresolved } from '@tidings/outbound-http'
import { type Endpoint, type WorkspaceEndpoints, wants } from './endpoint-view.ts'
import type { Payload, Payloads } from './payloads.ts'
import type { DeliveryOutcome } from './queue/endpoint-queues.ts'
import type { Attempt, Delivery } from './queue/statements.ts'
import { deliveryBody, signedHeaders } from './signature.ts'

/** `onResult` is called with the end of each attempt, for metrics. */
export type Delivering = Readonly<{
  workspaces: Readonly<{ status: (workspaceId: WorkspaceId) => WorkspaceStatus | Promise<WorkspaceStatus> }>
  endpoints: Readonly<{ of: (workspaceId: WorkspaceId, position?: Position) => Promise<WorkspaceEndpoints> }>
  payloads: Readonly<{ of: Payloads['of'] }>
  caller: Readonly<{ post: Caller['post'] }>
  /** Delays after the failures; the attempt after the last of them is the last. */
  backoffMs: readonly number[]
  standardHeaders: boolean
  onResult?: (outcome: Attempt['outcome'], ms: number) => void
  /** Called with a delivery that is given up. */
  onDropped?: (delivery: Delivery, attempt: Attempt) => void
}>

/** Five attempts: delays of 5, 10, 20, 40 s when the first is 5 (contract: Webhook deliveries). */
export function backoffFrom(firstMs: number): readonly number[] {
  return [1, 2, 4, 8].map((times) => times * firstMs)
}

const NOTHING_TO_DO: DeliveryOutcome = { again: null, attempt: null, ms: 0 }
/** The queue is about to be suspended in the database (`setWorkspaceStatus`); until then its deliveries go back. */
const NOT_NOW: DeliveryOutcome = { again: { inMs: 1_000, counts: false }, attempt: null, ms: 0 }

/**
 * One attempt of one delivery. None is made for an endpoint that is paused or deleted or whose workspace is closed, nor about a person who
 * is erased; while the workspace is suspended, the delivery waits.
 */
export async function deliver(delivering: Delivering, delivery: Delivery, signal: AbortSignal): Promise<DeliveryOutcome> {
  const workspaceStatus = await delivering.workspaces.status(delivery.workspaceId)
  if (workspaceStatus !== 'active') return workspaceStatus === 'closed' ? NOTHING_TO_DO : NOT_NOW
  const endpoint = (await delivering.endpoints.of(delivery.workspaceId)).get(delivery.endpointId)
  if (endpoint === undefined || !isFor(endpoint, delivery)) return NOTHING_TO_DO
  const { workspaceId, source, event } = delivery
  const payload = await delivering.payloads.of({ workspaceId, source, event })
  if (payload === null) return NOTHING_TO_DO
  const all = traces()
  const { causeId, meta } = payload
  if (all === null || meta === null) return await attemptAt({ delivering, delivery, endpoint, payload, signal })
  return await all.join(originsOf(causeId, meta), startOf(delivery, meta), async (span) => {
    const outcome = await attemptAt({ delivering, delivery, endpoint, payload, signal })
    const { status, outcome: became } = outcome.attempt ?? {}
    span?.set({ 'http.response.status_code': status ?? undefined, 'tidings.outcome': became })
    span?.end(became === 'delivered' || became === undefined ? undefined : String(status ?? 'unreachable'))
    return outcome
  })
}

/** What a person asked for goes to an endpoint that is active, whatever it wants, and whenever that was. */
const isFor = (endpoint: Endpoint, { event, source, position }: Delivery): boolean =>
  originOf(source).kind === 'event' ? wants(endpoint, event, position) : endpoint.active

type Attempting = Readonly<{ delivering: Delivering; delivery: Delivery; endpoint: Endpoint; payload: Payload; signal: AbortSignal }>
type Meta = NonNullable<Payload['meta']>

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/

/** Where the trace may be known: the event itself, and the one that it follows from. */
const originsOf = (causeId: string, { causationId }: Meta): readonly string[] =>
  causationId !== undefined && UUID.test(causationId) ? [causeId, causationId] : [causeId]

/** Where the endpoint is stays out: its address is the workspace's, and may hold a secret. */
const startOf = ({ workspaceId, position, attempt }: Delivery, meta: Meta) =>
  ({
    name: 'POST webhook',
    kind: 'client',
    attributes: {
      'http.request.method': 'POST',
      'tidings.request_id': meta.requestId,
      'tidings.position': positionText(position),
      'tidings.workspace': workspaceId,
      'tidings.attempt': attempt + 1,
    },
  }) as const

async function attemptAt({ delivering, delivery, endpoint, payload, signal }: Attempting): Promise<DeliveryOutcome> {
  const deliveryId = webhookDeliveryId({ event: payload.event, causeId: payload.causeId, endpointId: endpoint.id })
  const body = deliveryBody({ event: payload.event, deliveryId, data: payload.data })
  const started = performance.now()
  const answer = await call(delivering, endpoint, { event: payload.event, deliveryId, body, scope: delivery.workspaceId, signal })
  const ms = performance.now() - started
  const counts = answer.restMs === undefined
  const wait = counts ? (answer.isRetryable ? delivering.backoffMs[delivery.attempt] : undefined) : 0
  const outcome = answer.delivered ? 'delivered' : wait === undefined ? 'dropped' : 'retrying'
  delivering.onResult?.(outcome, ms)
  const { status, error, restMs } = answer
  const tried = {
    endpointId: endpoint.id,
    source: causeText(delivery.source),
    deliveryId,
    event: payload.event,
    attempt: delivery.attempt + (counts ? 1 : 0),
    ...(originOf(delivery.source).kind !== 'event' && { wasAsked: true }),
  }
  const said = error === null ? null : storableText(error)
  const attempt = { ...tried, outcome, status, error: said, ms, at: isoNow() } as const
  if (outcome === 'dropped') delivering.onDropped?.(delivery, attempt)
  const again = wait === undefined || answer.delivered ? null : { inMs: wait, counts }
  return { again, attempt, ms, ...(restMs !== undefined && { restMs }) }
}

/** `restMs`: the receiver was not called, and must not be for so long; that is no attempt. */
type Answer = Readonly<{ delivered: boolean; isRetryable: boolean; status: number | null; error: string | null; restMs?: number }>
type Sending = Readonly<{ event: string; deliveryId: string; body: Buffer; scope: string; signal: AbortSignal }>

async function call(delivering: Delivering, { id, url, key }: Endpoint, { scope, signal, ...sending }: Sending): Promise<Answer> {
  const at = delivering.standardHeaders ? Math.floor(databaseNow() / 1_000) : null
  try {
    const { status } = await delivering.caller.post({
      scope,
      lane: id,
      url,
      headers: signedHeaders({ key, ...sending }, at),
      body: sending.body,
      signal,
    })
    const isRedirect = status >= 300 && status < 400
    return { delivered: status >= 200 && status < 300, isRetryable: !isRedirect, status, error: null }
  } catch (error) {
    // Stopping is no failure of the receiver: it must not count as an attempt.
    if (signal.aborted) throw error
    if (error instanceof Blocked) return { delivered: false, isRetryable: false, status: null, error: `blocked: ${error.message}` }
    if (error instanceof Unresolved)
      return { delivered: false, isRetryable: true, status: null, error: error.message, restMs: error.retryInMs }
    if (!(error instanceof CallFailed)) throw error
    return { delivered: false, isRetryable: true, status: null, error: error.message }
  }
}
