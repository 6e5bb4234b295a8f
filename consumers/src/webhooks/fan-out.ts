import type { Consumer, Effect } from '@tidings/bus'
import type { Recorded } from '@tidings/codec'
import {
  type WebhookEndpointDeleted,
  type WebhookEndpointPaused,
  type WorkspaceId,
  type WorkspaceStatusChanged,
  webhookSubject,
} from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { PoolClient } from 'pg'
import { appendsOf } from './appends.ts'
import { type WorkspaceEndpoints, wants } from './endpoint-view.ts'
import { CAUSE_TYPES, mayOccur, occurrencesOf } from './occurrences.ts'
import { type Payloads, sourceText } from './payloads.ts'
import { runAdmission } from './queue/admit.ts'
import { dropWaiting, type NewDelivery, setWorkspaceStatus } from './queue/statements.ts'

const WEBHOOKS = 'webhooks'

const ENDING_TYPES = ['WebhookEndpointPaused', 'WebhookEndpointDeleted'] as const
const STATUS_TYPE = 'WorkspaceStatusChanged'

/**
 * `fromLog`: batches are pieces of the log, so that only their first and last append can be cut. Batches from a topic hold several partitions,
 * each cut where its records were fetched.
 */
export type FanOut = Readonly<{
  endpoints: Readonly<{ of: (workspaceId: WorkspaceId, position?: Position) => Promise<WorkspaceEndpoints> }>
  payloads: Payloads
  fromLog: boolean
  keyRing: Readonly<{ shred: (workspaceId: WorkspaceId, subject: string) => Promise<void> }>
  /** Tells the queue that deliveries that wait for endpoints may go on. */
  freed: () => void
  admission: (deliveries: readonly NewDelivery[]) => Effect
}>

/**
 * Makes a delivery of each occurrence for each endpoint that wants it, in one statement a batch. Drops the waiting deliveries of an endpoint
 * that is paused or deleted, and defers those of a suspended workspace.
 */
export function fanOutConsumer(fanOut: FanOut): Consumer {
  return {
    group: WEBHOOKS,
    types: [...CAUSE_TYPES, ...ENDING_TYPES, STATUS_TYPE],
    // Most workspaces have no endpoint: what occurs there takes no transaction.
    concerns: async (events) => events.some(isForTransaction) || (await haveEndpoints(fanOut.endpoints, events.filter(mayOccur))),
    opened: () => fanOut.payloads.clear(),
    effect: async (events) => (events.some(isForTransaction) ? null : await admissionOf(fanOut, events)),
    handle: async (events, tx) => {
      const ended = events.filter(isEnding)
      for (const event of ended) await end(fanOut, tx, event)
      const moved = events.filter(isStatus)
      for (const { meta, data } of moved) await setWorkspaceStatus(tx, meta.workspaceId, data.status)
      const others = events.filter((event) => !isForTransaction(event))
      const admission = await admissionOf(fanOut, others)
      const value = admission && (await runAdmission(tx, admission))
      return () => {
        admission?.done(value)
        if (moved.length > 0) fanOut.freed()
      }
    },
  }
}

const isEnding = (event: Recorded): event is Recorded<WebhookEndpointPaused | WebhookEndpointDeleted> =>
  ENDING_TYPES.some((type) => type === event.type)

const isStatus = (event: Recorded): event is Recorded<WorkspaceStatusChanged> => event.type === STATUS_TYPE

const isForTransaction = (event: Recorded): boolean => isEnding(event) || isStatus(event)

/** The key is shredded before the checkpoint moves: a deleted endpoint has no secret any more, also after a crash. */
const end = async ({ keyRing }: FanOut, tx: PoolClient, event: Recorded<WebhookEndpointPaused | WebhookEndpointDeleted>): Promise<void> => {
  const isDeleted = event.type === 'WebhookEndpointDeleted'
  if (isDeleted) await keyRing.shred(event.meta.workspaceId, webhookSubject(event.data))
  await dropWaiting(tx, { endpointId: event.data.endpointId, upTo: event.position, all: isDeleted })
}

const endpointsOf = async (
  endpoints: FanOut['endpoints'],
  events: readonly Recorded[],
): Promise<ReadonlyMap<string, WorkspaceEndpoints>> => {
  const of = new Map<string, WorkspaceEndpoints>()
  const position = events.at(-1)?.position
  for (const workspaceId of new Set(events.map(({ meta }) => meta.workspaceId)))
    of.set(workspaceId, await endpoints.of(workspaceId, position))
  return of
}

const haveEndpoints = async (endpoints: FanOut['endpoints'], events: readonly Recorded[]): Promise<boolean> =>
  [...(await endpointsOf(endpoints, events)).values()].some(({ size }) => size > 0)

/** Null where no endpoint wants any of it. */
const admissionOf = async (fanOut: FanOut, events: readonly Recorded[]): Promise<Effect | null> => {
  const of = await endpointsOf(fanOut.endpoints, events)
  const appends = appendsOf(events)
  const deliveries = appends.flatMap((append) => deliveriesOf(append, of.get(append[0]?.meta.workspaceId ?? '')))
  if (deliveries.length === 0) return null
  const wanted = new Set(deliveries.map(({ source }) => source))
  // A batch that may end inside an append is completed from the log: a payload of half an append would be wrong.
  const whole = (fanOut.fromLog ? appends.slice(1, -1) : []).filter((append) => append.some((event) => wanted.has(sourceText(event))))
  const admission = fanOut.admission(deliveries)
  return {
    ...admission,
    done: (value) => {
      for (const append of whole) fanOut.payloads.put(append)
      admission.done(value)
    },
  }
}

const deliveriesOf = (append: readonly Recorded[], endpoints: WorkspaceEndpoints | undefined): readonly NewDelivery[] => {
  if (endpoints === undefined || endpoints.size === 0) return []
  return occurrencesOf(append).flatMap(({ name, cause }) =>
    [...endpoints.values()]
      .filter((endpoint) => wants(endpoint, name, cause.position))
      .map(({ id }) => ({
        endpointId: id,
        workspaceId: cause.meta.workspaceId,
        position: cause.position,
        event: name,
        source: sourceText(cause),
      })),
  )
}
