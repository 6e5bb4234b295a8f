import type { DecodedBatch, TypeFilter } from '@tidings/codec'
import type { ContactId, DomainEvent, FlowId, MessageId, WorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'

/** The streams of the log that are about a contact, beside its own. Only ids: their events are read when they are written. */
export type StreamsOf = Readonly<{
  messages: ReadonlySet<MessageId>
  activities: ReadonlySet<string>
  signUps: ReadonlySet<string>
  browsers: ReadonlySet<string>
  flows: ReadonlySet<FlowId>
}>

const TYPES = [
  'EmailAccepted',
  'SmsAccepted',
  'PushAccepted',
  'ActivityRecorded',
  'FormSubmitted',
  'PushSubscriptionRegistered',
  'ContactEnteredFlow',
] as const satisfies readonly DomainEvent['type'][]

const PAGE = 2_000

type PersonRef = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>
type Scan = PersonRef &
  Readonly<{
    log: Readonly<{ pages: (after: Position | 'start', limit: number, filter?: TypeFilter) => AsyncIterable<DecodedBatch> }>
    onPage: (position: Position) => void
  }>

/** Reads the log once, without a key: ids are in clear. No table knows all that there ever was. */
export async function streamsOf({ log, workspaceId, contactId, onPage }: Scan): Promise<StreamsOf> {
  const found = { messages: new Set<MessageId>(), activities: new Set<string>(), signUps: new Set<string>() }
  const others = { browsers: new Set<string>(), flows: new Set<FlowId>() }
  for await (const { events, to } of log.pages('start', PAGE, { types: TYPES, personal: [] })) {
    for (const event of events as readonly Readonly<{ data: DomainEvent['data']; meta: { workspaceId: WorkspaceId } }>[]) {
      const { data, meta } = event
      if (meta.workspaceId !== workspaceId || !('contactId' in data) || data.contactId !== contactId) continue
      if ('messageId' in data) found.messages.add(data.messageId)
      else if ('activityId' in data) found.activities.add(data.activityId)
      else if ('signUpId' in data) found.signUps.add(data.signUpId)
      else if ('endpointHash' in data) others.browsers.add(data.endpointHash)
      else if ('flowId' in data) others.flows.add(data.flowId)
    }
    onPage(to)
  }
  return { ...found, ...others }
}
