import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import type { RecordedEvent } from '@tidings/event-store'
import type { EventMeta } from './event-log.ts'
import { asSealedFields, cutSealed, SEALED, type SealedFields } from './sealed-fields.ts'
import type { StoredData } from './upcast/upcast.ts'

/** A stored event's texts, parsed without a key. */
export type Parsed =
  | Readonly<{ meta: EventMeta; data: StoredData; sealed: null }>
  | Readonly<{ meta: EventMeta; clear: string; sealed: SealedFields }>

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

let lastText = ''
let lastMeta: EventMeta | undefined
/** The events of one append follow each other in the log and most often have the same meta: then they share it. */
const metaOf = (text: string): EventMeta => {
  if (lastMeta !== undefined && text === lastText) return lastMeta
  const meta = asMeta(asObject(JSON.parse(text), 'meta'))
  lastText = text
  lastMeta = meta
  return meta
}

/** The metadata, which is stored in clear. Throws where that is not what `encode` writes. */
export function parseMeta({ meta }: Readonly<{ meta: string }>): EventMeta {
  return metaOf(meta)
}

const TEXT = String.raw`"[^"\\\x00-\x1f]*"`
const AS_WRITTEN = new RegExp(
  String.raw`^\{"workspaceId":"([^"\\\x00-\x1f]*)","actor":${TEXT},"requestId":${TEXT},(?:"causationId":${TEXT},)?"schemaVersion":[1-9]\d{0,8},"at":${TEXT}\}$`,
)

/** The workspace that `parseMeta` finds in the metadata. Measured: 0.3 µs where `encode` has written it without escapes; to parse it 0.8. */
export function workspaceIdIn(meta: string): WorkspaceId {
  const written = AS_WRITTEN.exec(meta)?.[1]
  return written === undefined ? metaOf(meta).workspaceId : asWorkspaceId(written)
}

/**
 * The object that a text of clear fields and a text of opened ones make together. Measured for a contact's creation: parsing the joined
 * text takes 1.4 µs, joining what was parsed 1.7 µs.
 */
export function parseFields(clear: string, opened = '{}'): StoredData {
  const both = opened === '{}' ? clear : clear === '{}' ? opened : `${clear.slice(0, -1)},${opened.slice(1)}`
  return asObject(JSON.parse(both), 'data')
}

/** Throws where a text is not what `encode` writes. */
export function parse(event: RecordedEvent): Parsed {
  const meta = metaOf(event.meta)
  const cut = cutSealed(event.data)
  if (cut !== null) return { meta, ...cut }
  const data = asObject(JSON.parse(event.data), 'data')
  if (!Object.hasOwn(data, SEALED)) return { meta, data, sealed: null }
  const { [SEALED]: sealed, ...clear } = data
  return { meta, clear: JSON.stringify(clear), sealed: asSealedFields(sealed) }
}
