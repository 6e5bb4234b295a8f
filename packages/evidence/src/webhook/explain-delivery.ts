import type { Recorded } from '@tidings/codec'
import type { ContactId, EndpointId, MessageId, WebhooksEvent, WorkspaceEvent, WorkspaceId } from '@tidings/domain'
import { workspaceStream } from '@tidings/domain'
import { comparePositions } from '@tidings/event-store'
import { type Fact, factOf, inLogOrder } from '../fact.ts'
import { readAll, type Sources } from '../sources.ts'
import { type DeliveryTry, saysOfTry, type WaitingDelivery } from './deliveries.ts'
import type { KnownEndpoint } from './endpoints.ts'
import { type FoundDelivery, findDelivery } from './find-delivery.ts'

/** `status`: `waits`, or how it ended. `nextAt`: its next try; `because`: why it waits, or was given up. */
type ExplainedDelivery = Readonly<{
  id: string
  workspaceId: WorkspaceId
  endpointId: EndpointId
  url: string | null
  event: string
  status: 'delivered' | 'waits' | 'dropped'
  because: string | null
  nextAt: string | null
  tries: readonly Omit<DeliveryTry, 'endpointId' | 'deliveryId' | 'event' | 'source'>[]
}>

export type DeliveryExplained = Readonly<{ delivery: ExplainedDelivery; facts: readonly Fact[] }>

/** What a delivery reports, to which endpoint, and what became of it; null where none of that id waits or is kept. */
export async function explainDelivery(
  sources: Sources,
  wanted: Readonly<{ workspaceId: WorkspaceId; deliveryId: string }>,
): Promise<DeliveryExplained | null> {
  const found = await findDelivery(sources, wanted)
  if (found === null) return null
  const { endpoint, event, cause, tries, waiting } = found
  const workspace = await readAll<WorkspaceEvent>(sources, wanted.workspaceId, workspaceStream(wanted.workspaceId))
  const moved = workspace.filter((one) => one.type === 'WorkspaceStatusChanged' && isAfter(one, cause))
  const last = tries.at(-1)
  const because = reasonOf(found, moved.at(-1))
  const status = waiting !== null ? 'waits' : last?.outcome === 'delivered' ? 'delivered' : 'dropped'
  const { id: endpointId, url } = endpoint
  return {
    delivery: {
      ...{ id: wanted.deliveryId, workspaceId: wanted.workspaceId, endpointId, url, event, status, because },
      nextAt: waiting?.dueAt ?? null,
      tries: tries.map(({ attempt, outcome, status: answered, error, durationMs, at }) => ({
        attempt,
        outcome,
        status: answered,
        error,
        durationMs,
        at,
      })),
    },
    facts: inLogOrder([
      factOf(
        endpoint.created,
        `endpoint ${endpointId}${url === null ? '' : ` ${url}`} made, for ${endpoint.created.data.events.join(', ')}`,
      ),
      ...endpoint.moves.map((move) => factOf(move, `endpoint ${MOVES[move.type]}`)),
      ...(cause === null ? [] : causeFacts(cause, found)),
      ...moved.map((one) => factOf(one, `the workspace became ${(one.data as Readonly<{ status: string }>).status}`)),
    ]),
  }
}

const MOVES: Readonly<Record<WebhooksEvent['type'], string>> = {
  WebhookEndpointCreated: 'made',
  WebhookEndpointPaused: 'paused: what waited was dropped',
  WebhookEndpointResumed: 'resumed: what happened since is delivered',
  WebhookEndpointDeleted: 'deleted: what waited was dropped',
}

const isAfter = (event: Recorded, cause: Recorded | null): boolean => cause !== null && comparePositions(event.position, cause.position) > 0

/** Facts about the event that caused the delivery, with the message and the contact that it names. */
const causeFacts = (cause: Recorded, { event, tries, waiting }: FoundDelivery): readonly Fact[] => {
  const data = cause.data as Readonly<{ messageId?: MessageId; contactId?: ContactId | null }>
  const about = [...(data.messageId ? [`message ${data.messageId}`] : []), ...(data.contactId ? [`contact ${data.contactId}`] : [])]
  return [
    factOf(cause, `fired ${event}${about.length === 0 ? '' : `, about ${about.join(' and ')}`}`),
    ...tries.map((one) => factOf(cause, saysOfTry(one))),
    ...(waiting === null ? [] : [factOf(cause, saysOfWaiting(waiting))]),
  ]
}

const saysOfWaiting = ({ attempt, dueAt }: WaitingDelivery): string =>
  dueAt === null ? 'waits for its first try' : `waits until ${dueAt} for try ${attempt + 1}`

/** Why it waits or was given up, as far as the log and the last try say. */
const reasonOf = ({ endpoint, cause, tries, waiting }: FoundDelivery, status: Recorded<WorkspaceEvent> | undefined): string | null => {
  const last = tries.at(-1)
  const becameOf = status?.type === 'WorkspaceStatusChanged' ? status.data.status : 'active'
  if (waiting !== null) return becameOf === 'suspended' ? 'the workspace is suspended' : ((last && saidOf(last)) ?? null)
  if (last?.outcome === 'delivered') return null
  if (last?.outcome === 'dropped') return `${saidOf(last)} at try ${last.attempt}, after which none follows`
  const ended = endOf(endpoint, cause)
  if (ended !== null) return ended
  return becameOf === 'closed' ? 'the workspace was closed' : 'the person that it is about was erased, or its tries are kept no more'
}

const saidOf = ({ status, error }: DeliveryTry): string => (status === null ? (error ?? 'no answer') : `the receiver answered ${status}`)

const endOf = ({ moves }: KnownEndpoint, cause: Recorded | null): string | null => {
  const ended = moves.find((move) => isAfter(move, cause) && move.type !== 'WebhookEndpointResumed')
  if (ended === undefined) return null
  return ended.type === 'WebhookEndpointPaused'
    ? `the endpoint was paused at ${ended.meta.at}`
    : `the endpoint was deleted at ${ended.meta.at}`
}
