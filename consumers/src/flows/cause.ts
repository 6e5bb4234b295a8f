import type { Recorded } from '@tidings/codec'
import {
  type ActivityRecorded,
  type ContactAddedToList,
  type ContactCreated,
  type ContactId,
  type FlowTrigger,
  IMPORT,
  isNews,
  isQuietSource,
  type SignUpEvent,
  type WorkspaceId,
} from '@tidings/domain'
import type { Position } from '@tidings/event-store'

/** An event that may let a contact into flows. `at`: when it was recorded; `requestId`: of the request that it came from. */
export type FlowCause = Readonly<{
  workspaceId: WorkspaceId
  contactId: ContactId
  trigger: FlowTrigger
  eventId: string
  type: string
  stream: string
  position: Position
  at: string
  requestId: string
}>

type SignUpConfirmed = Extract<SignUpEvent, { type: 'SignUpConfirmed' }>
type Triggering = ContactCreated | ContactAddedToList | ActivityRecorded | SignUpConfirmed

/** The event types that let contacts into flows. */
export const TRIGGERING_TYPES = [
  'ContactCreated',
  'ContactAddedToList',
  'ActivityRecorded',
  'SignUpConfirmed',
] as const satisfies readonly Triggering['type'][]

/**
 * What the event is a cause of, which must be of a type that lets contacts in; null for a member that a list had when its rule was made (D10),
 * for what a store reports late (M54), for a contact that has not confirmed yet (M56), and for all that a file of people brought (M67).
 */
export function causeOf(event: Recorded): FlowCause | null {
  // The cast is the edge where an event gets the type that its name says.
  const trigger = event.meta.actor === IMPORT ? null : triggerOf(event as Recorded<Triggering>)
  if (trigger === null) return null
  const { id: eventId, type, stream, position, meta } = event
  const { contactId } = (event as Recorded<Triggering>).data
  return { workspaceId: meta.workspaceId, contactId, trigger, eventId, type, stream, position, at: meta.at, requestId: meta.requestId }
}

const triggerOf = (event: Recorded<Triggering>): FlowTrigger | null => {
  switch (event.type) {
    case 'ContactCreated':
      return isQuietSource(event.data.source) ? null : { type: 'contact_created' }
    // Only the first confirmation of a contact that a sign-up created gets here (`isFirstConfirmation`).
    case 'SignUpConfirmed':
      return { type: 'contact_created' }
    case 'ContactAddedToList':
      return isOfNewRule(event.data) ? null : { type: 'list_joined', listId: event.data.listId }
    case 'ActivityRecorded':
      return isNews(event.data, event.meta.at) ? { type: 'custom_event', event: event.data.event } : null
    default:
      return event satisfies never
  }
}

/** Dynamic lists give a reason: `rule` is that the rule was made or changed, and not that the contact did anything. */
const isOfNewRule = (data: object): boolean => 'reason' in data && data.reason === 'rule'
