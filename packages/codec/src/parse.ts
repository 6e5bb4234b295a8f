import type { RecordedEvent } from '@tidings/event-store'
import type { EventMeta } from './event-log.ts'
import { asSealedFields, SEALED, type SealedFields } from './sealed-fields.ts'
import type { StoredData } from './upcast/upcast.ts'

/** A stored event's texts, read; `sealed` is null where nothing personal was said. */
export type Parsed = Readonly<{ data: StoredData; meta: EventMeta; sealed: SealedFields | null }>

// JSON.parse makes `__proto__` an own property, and spread copies it as one: nothing here ever assigns a stored name.
const asObject = (value: unknown, what: string): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`its ${what} is not an object`)
  return value as Record<string, unknown>
}

const asMeta = (value: StoredData): EventMeta => {
  const { workspaceId, actor, requestId, at, schemaVersion } = value
  const texts = typeof workspaceId === 'string' && typeof actor === 'string' && typeof requestId === 'string' && typeof at === 'string'
  if (!texts || !Number.isInteger(schemaVersion) || Number(schemaVersion) < 1) throw new Error('its meta is not what we write')
  return value as EventMeta
}

/** Throws where a text is not what `encode` writes. */
export const parse = (event: RecordedEvent): Parsed => {
  const meta = asMeta(asObject(JSON.parse(event.meta), 'meta'))
  const data = asObject(JSON.parse(event.data), 'data')
  if (!Object.hasOwn(data, SEALED)) return { data, meta, sealed: null }
  const sealed = asSealedFields(data[SEALED])
  // It stands last, and the last property goes without making the object slow.
  delete data[SEALED]
  return { data, meta, sealed }
}
