import { STORE_EVENT_KEYS, type StoreEventName } from '@tidings/domain'
import { invalidRequest } from '@tidings/http'

type Key = (typeof STORE_EVENT_KEYS)[StoreEventName][number]
type Value = string | number | boolean | null

const MAX_TEXT = 255

type Kind = Readonly<{ says: string; read: (value: unknown) => Value | undefined }>

const kinds = {
  /** Stores have numbers and texts as ids, receivers get texts. */
  id: { says: 'a string', read: (value) => (typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : undefined) },
  text: { says: 'a string', read: (value) => (typeof value === 'string' ? value : undefined) },
  number: { says: 'a number', read: (value) => (typeof value === 'number' ? value : undefined) },
  flag: { says: 'a boolean value', read: (value) => (typeof value === 'boolean' ? value : undefined) },
} as const satisfies Record<string, Kind>

const kindOf: Readonly<Record<Key | 'reviewId', keyof typeof kinds>> = {
  reviewId: 'id',
  externalId: 'id',
  orderId: 'id',
  amount: 'number',
  currency: 'text',
  vendor: 'text',
  rating: 'number',
  productId: 'id',
  published: 'flag',
  points: 'number',
  tier: 'text',
  rewardCode: 'text',
}

const readKey = (key: Key | 'reviewId', value: unknown): Value => {
  if (value === undefined || value === null) return key === 'published' ? false : null
  const { read, says }: Kind = kinds[kindOf[key]]
  const taken = read(value)
  if (taken === undefined) throw invalidRequest(`data.${key} must be ${says}`)
  if (typeof taken === 'string' && taken.length > MAX_TEXT)
    throw invalidRequest(`data.${key} must be shorter than or equal to 255 characters`)
  return taken
}

/** Ids of what a group has no key for: they tell two events apart (M54), and are not kept. */
const MORE_IDS = ['externalId', 'reviewId'] as const

export type StoreData = Readonly<{ properties: Readonly<Record<string, Value>>; ids: Readonly<Record<string, Value>> }>

/**
 * The data of a store event: exactly the keys of its group, null where the store said nothing and false for `published` (N477; contract:
 * Webhook deliveries); and the ids that tell it apart beside them. Throws 400 for a key of no or another group, and for a value of another kind.
 */
export function storeData(event: StoreEventName, data: Readonly<Record<string, unknown>>): StoreData {
  const keys: readonly Key[] = STORE_EVENT_KEYS[event]
  const more = MORE_IDS.filter((key) => !keys.some((known) => known === key))
  const unknown = Object.keys(data).find((key) => ![...keys, ...more].some((known) => known === key))
  if (unknown !== undefined) throw invalidRequest(`data.property ${unknown} should not exist`)
  const read = (wanted: readonly (Key | 'reviewId')[]) => Object.fromEntries(wanted.map((key) => [key, readKey(key, data[key])]))
  return { properties: read(keys), ids: read(more) }
}
