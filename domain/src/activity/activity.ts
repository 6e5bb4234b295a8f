import { contactSubject, type Json } from '../contact/contact.events.ts'
import { isReservedEventName } from '../custom-event/custom-event.ts'
import type { ContactId, WorkspaceId } from '../ids.ts'
import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'
import { parseTime } from '../rules/rule-time.ts'
import { utf8Length } from '../values.ts'
import { isStoreEventName, STORE_EVENT_KEYS, type StoreEventName } from '../webhooks/store-events.ts'

/** The reporter: a call of event ingest, a connector of a store, or this service itself (`cart.abandoned`). */
type ActivitySource = 'api' | 'store' | 'service'

type Activity = {
  /** Derived from contact, event, and its own id or else its minute: what makes two reports one activity (G22, M54). */
  activityId: string
  contactId: ContactId
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
export function activityStream(workspaceId: WorkspaceId, activityId: string): string {
  return `activity-${workspaceId}-${activityId}`
}

/** `ownId`: what tells it from others of its kind, null where nothing does (`storeEventId`). */
type ActivityKey = Pick<Activity, 'contactId' | 'event' | 'occurredAt'> & Readonly<{ ownId: string | null }>

/**
 * Two reports are one activity by these: contact, event, and its own id (M54); without one the UTC minute in which it occurred, and properties play no
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

/** Refuses a name that is not the source's to report (M17, M18), and properties that are too large. */
export function assertReportable({ event, source, properties }: Pick<Activity, 'event' | 'source' | 'properties'>): void {
  if (source === 'api' && isReservedEventName(event)) throw new Refused('event_name_reserved')
  if (source === 'store' && !isStoreEventName(event)) throw new Refused('event_name_not_of_stores')
  assertPropertiesFit(properties)
}

/** Refuses properties beyond 8 192 bytes of JSON (G23). */
export function assertPropertiesFit(properties: Activity['properties']): void {
  if (utf8Length(JSON.stringify(properties)) > MAX_PROPERTIES_BYTES) throw new Refused('event_properties_too_large')
}

const decide = ({ data }: RecordActivity, isRecorded: boolean): readonly ActivityEvent[] => {
  assertReportable(data)
  return isRecorded ? [] : [{ type: 'ActivityRecorded', data: { ...data, propertyNames: propertyNamesOf(data.properties) } }]
}

/** Something that a contact did, once. The state says whether it is recorded. */
export const activity: Decider<RecordActivity, ActivityEvent, boolean> = { decide, evolve: () => true, initialState: false }

const MAX_PROPERTY_NAMES = 100

/** A name as a program writes it: letters, digits, `_`, `.`, `-`, `$`, at most 64, from a letter, `_` or `$` on, and no blank, as between two names. */
const PROPERTY_NAME = /^[\p{L}_$][\p{L}\p{M}\p{N}_.$-]{0,63}$/u
/** Seven digits, however they are parted, are a number of somebody, as in `tel_050-1234567`. */
const NUMBER = /\p{N}(?:[_.$-]*\p{N}){6}/u

/** Whether the event catalogue may show the key of a property. A key is a client's own text and may name a person. */
export function isPropertyName(key: string): boolean {
  return PROPERTY_NAME.test(key) && !NUMBER.test(key)
}

/** The keys of properties that the event catalogue may show, at most 100: all others stay with the values, which are encrypted. */
function propertyNamesOf(properties: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(properties).filter(isPropertyName).slice(0, MAX_PROPERTY_NAMES)
}

/** A telephone number with its country; names may have other digits, as a date or a count. */
const PHONE = /[+\uff0b][\s().-]*\p{N}(?:[\s().-]*\p{N}){6}/u

/** Whether the catalogue may show the name of an event that was only observed. Blanks are usual in it, addresses and telephone numbers are data. */
export function isShownEventName(name: string): boolean {
  return !/[@\uff20\p{Cc}\p{Cf}]/u.test(name) && !PHONE.test(name)
}

/** The values that a store reported, with the ids that are not in the data of its event. */
type ReportedValues = Readonly<Record<string, string | number | boolean | null>>

/** The ids by which a store tells one thing from another. `productId` alone is none: a product is bought and reviewed by many, often. */
const ABOUT = ['vendor', 'productId'] as const
const OWN_IDS = ['externalId', 'orderId', 'reviewId'] as const

/**
 * Activities that may happen to one id several times: an order is refunded, or fulfilled, in parts, a checkout is opened again, and a product has several
 * questions. There the rest of what the store said, and when it happened, are part of the key; so a part with an id of its own is always an event
 * of its own.
 */
const REPEATED: ReadonlySet<StoreEventName> = new Set([
  'order.refunded',
  'order.partially_fulfilled',
  'checkout.started',
  'review.question',
  'review.answer',
])

/** `said`: the time that the store gave, as it wrote it. `moment`: that of the report. `connectorId`: null for what a user reports. */
type Reported = Readonly<{ said: string | null; moment: string; connectorId: string | null }>

/**
 * The own id of a store event (M54): two reports with the same one are one event, whatever minute they come in; with another one they are two, also in
 * one minute. Null where the store gave no id: then the minute decides (G22). Two connectors may count their orders alike, so what each reports
 * is its own.
 */
export function storeEventId(event: StoreEventName, data: ReportedValues, { said, moment, connectorId }: Reported): string | null {
  const ids = OWN_IDS.map((key) => data[key] || null)
  if (ids.every((id) => id === null)) return null
  const about = ABOUT.map((key) => data[key] ?? null)
  // A time is one however it is written; without one the minute of the report stands for it, as where there is no id (G22).
  const time = said === null ? moment.slice(0, 'YYYY-MM-DDThh:mm'.length) : parseTime(said)
  const parts = REPEATED.has(event) ? [...STORE_EVENT_KEYS[event].map((key) => data[key] ?? null), time] : []
  const reporter = connectorId === null ? [] : [connectorId]
  return JSON.stringify([...ids, ...about, ...parts, ...reporter])
}
