import type { Json } from '../contact/contact.events.ts'
import { contactSubject } from '../contact/contact.events.ts'
import { isReservedEventName } from '../custom-event/custom-event.ts'
import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'
import { utf8Length } from '../values.ts'
import { isStoreEventName } from '../webhooks/store-events.ts'
import { propertyNamesOf } from './property-names.ts'

/** The reporter: a call of event ingest, a connector of a store, or this service itself (`cart.abandoned`). */
type ActivitySource = 'api' | 'store' | 'service'

type Activity = {
  /** Derived from contact, event, and its own id or else its minute: what makes two reports one activity (G22, M54). */
  activityId: string
  contactId: string
  /** The public name. */
  event: string
  source: ActivitySource
  occurredAt: string
  properties: Readonly<Record<string, Json>>
}

// Stored for ever: change only together with an upcast.
/** A contact did something. `propertyNames`: the keys of `properties` that are names and not data, in clear for the catalogue. */
export type ActivityRecorded = Event<'ActivityRecorded', Activity & { propertyNames: readonly string[] }>
export type ActivityEvent = ActivityRecorded

export const activityDeclarations = {
  ActivityRecorded: { version: 1, personal: { subject: contactSubject, fields: ['properties'] } },
} as const satisfies EventDeclarations & Record<ActivityEvent['type'], unknown>

export type RecordActivity = Command<'RecordActivity', Activity>

/** One stream an activity: "no stream" is the check for a duplicate, and activities of one contact never wait for each other. */
export function activityStream(workspaceId: string, activityId: string): string {
  return `activity-${workspaceId}-${activityId}`
}

/** `ownId`: what tells it from others of its kind, null where nothing does (`storeEventId`). */
type ActivityKey = Pick<Activity, 'contactId' | 'event' | 'occurredAt'> & Readonly<{ ownId: string | null }>

/**
 * What makes two reports one activity: contact, event, and its own id (M54); without one the UTC minute in which it occurred, and properties play no
 * part (G22).
 */
export function activityKey({ contactId, event, occurredAt, ownId }: ActivityKey): string {
  return ownId === null ? `${contactId}|${occurredAt.slice(0, 16)}|${event}` : `${contactId}|own|${event}|${ownId}`
}

/** An activity that is recorded later than this after it occurred is not news. */
export const NEWS_MS = 24 * 60 * 60_000

/**
 * False for what a store reports more than 24 hours late: it changes figures, facts and dynamic lists, and neither enters flows nor starts a cart (M54). `recordedAt`:
 * the time of its event.
 */
export function isNews({ source, occurredAt }: Pick<Activity, 'source' | 'occurredAt'>, recordedAt: string): boolean {
  return source !== 'store' || Date.parse(recordedAt) - Date.parse(occurredAt) <= NEWS_MS
}

const MAX_PROPERTIES_BYTES = 8_192

/** Refuses a name that is not the source's to report (M17, M18), and properties beyond 8 192 bytes of JSON (G23). */
export function assertReportable({ event, source, properties }: Pick<Activity, 'event' | 'source' | 'properties'>): void {
  if (source === 'api' && isReservedEventName(event)) throw new Refused('event_name_reserved')
  if (source === 'store' && !isStoreEventName(event)) throw new Refused('event_name_not_of_stores')
  if (utf8Length(JSON.stringify(properties)) > MAX_PROPERTIES_BYTES) throw new Refused('event_properties_too_large')
}

const decide = ({ data }: RecordActivity, isRecorded: boolean): readonly ActivityEvent[] => {
  assertReportable(data)
  return isRecorded ? [] : [{ type: 'ActivityRecorded', data: { ...data, propertyNames: propertyNamesOf(data.properties) } }]
}

/** Something that a contact did, once. The state says whether it is recorded. */
export const activity: Decider<RecordActivity, ActivityEvent, boolean> = { decide, evolve: () => true, initialState: false }
