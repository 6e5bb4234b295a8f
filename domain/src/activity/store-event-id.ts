import { parseTime } from '../rules/rule-time.ts'
import { STORE_EVENT_KEYS, type StoreEventName } from '../webhooks/store-events.ts'

/** What a store said, with the ids that are not in the data of its event. */
type Said = Readonly<Record<string, string | number | boolean | null>>

/** The ids by which a store tells one thing from another. `productId` alone is none: a product is bought and reviewed by many, often. */
const ABOUT = ['vendor', 'productId'] as const
const OWN_IDS = ['externalId', 'orderId', 'reviewId'] as const

/**
 * What may happen to one id several times: an order is refunded, or fulfilled, in parts, a checkout is opened again, and a product has several
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
export function storeEventId(event: StoreEventName, data: Said, { said, moment, connectorId }: Reported): string | null {
  const ids = OWN_IDS.map((key) => data[key] || null)
  if (ids.every((id) => id === null)) return null
  const about = ABOUT.map((key) => data[key] ?? null)
  // A time is one however it is written; without one the minute of the report stands for it, as where there is no id (G22).
  const time = said === null ? moment.slice(0, 'YYYY-MM-DDThh:mm'.length) : parseTime(said)
  const parts = REPEATED.has(event) ? [...STORE_EVENT_KEYS[event].map((key) => data[key] ?? null), time] : []
  const reporter = connectorId === null ? [] : [connectorId]
  return JSON.stringify([...ids, ...about, ...parts, ...reporter])
}
