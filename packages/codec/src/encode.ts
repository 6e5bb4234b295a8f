import type { EventDeclaration, EventDeclarations } from '@tidings/domain'
import { type EventToAppend, InvalidAppend } from '@tidings/event-store'
import { UnknownEventType } from './errors.ts'
import type { AppendContext, EventMeta } from './event-log.ts'
import { eventId } from './ids.ts'
import type { SubjectKey } from './keys/key-ring.ts'
import type { Decoded } from './memo.ts'
import { SEALED, sealFields } from './sealed-fields.ts'
import { checkStorable } from './storable.ts'

type Fields = Record<string, unknown>

/** An event that may be stored, its personal fields set apart. `subject` is null where it has no personal data. */
export type Prepared = Readonly<{
  type: string
  version: number
  clear: Fields
  personal: Fields
  subject: string | null
  faithful: boolean
}>

export type Encoded = Readonly<{ stored: EventToAppend; decoded: Decoded; faithful: boolean }>

type Draft = Readonly<{ type: string; data: unknown }>
type Split = Readonly<{ clear: Fields; personal: Fields; isPersonal: boolean }>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

const split = (data: Fields, fields: readonly string[]): Split => {
  const clear: Fields = {}
  const personal: Fields = {}
  let isPersonal = false
  for (const name of Object.keys(data)) {
    const value = data[name]
    if (name === SEALED || name === '__proto__') throw new InvalidAppend(`${name} is no name for a field of an event`)
    if (fields.includes(name)) {
      personal[name] = value
      if (value !== null && value !== undefined) isPersonal = true
    } else clear[name] = value
  }
  return { clear, personal, isPersonal }
}

// The cast is the edge between the declarations, which know their own type's data, and this code, which knows no type.
const subjectOf = (declaration: EventDeclaration, data: object): string | null => declaration.personal?.subject(data as never) ?? null

/** Checks one event on its way in. A blob is made only where a personal field holds something: nulls stay readable. */
export function prepare(declarations: EventDeclarations, stream: string, event: Draft): Prepared {
  const declaration = Object.hasOwn(declarations, event.type) ? declarations[event.type] : undefined
  if (!declaration) throw new UnknownEventType({ type: event.type, version: null, ours: false }, { stream, position: null })
  if (!isFields(event.data)) throw new InvalidAppend(`the data of ${event.type} is not an object`)
  const faithful = checkStorable(event.data)
  const { clear, personal, isPersonal } = split(event.data, declaration.personal?.fields ?? [])
  const { version } = declaration
  if (isPersonal) return { type: event.type, version, clear, personal, subject: subjectOf(declaration, event.data), faithful }
  return { type: event.type, version, clear: { ...clear, ...personal }, personal: {}, subject: null, faithful }
}

const metaOf = ({ workspaceId, actor, requestId, causationId, at }: AppendContext, schemaVersion: number): EventMeta =>
  causationId === undefined
    ? { workspaceId, actor, requestId, schemaVersion, at }
    : { workspaceId, actor, requestId, causationId, schemaVersion, at }

/** How the metadata of every event of a workspace begins, as `metaOf` writes it; that of no other event does. */
export function metaStart(workspaceId: string): string {
  return `{"workspaceId":${JSON.stringify(workspaceId)},`
}

const withBlob = (text: string, blob: string): string =>
  text === '{}' ? `{"${SEALED}":${blob}}` : `${text.slice(0, -1)},"${SEALED}":${blob}}`

export type Place = Readonly<{ stream: string; n: number; context: AppendContext }>

/** The texts of the `n`-th event of an append. `key` is the subject's, null where the event has none. */
export function encode(event: Prepared, key: SubjectKey | null, place: Place): Encoded {
  const id = eventId(place.context.commandId, place.stream, place.n)
  const meta = metaOf(place.context, event.version)
  const text = JSON.stringify(event.clear)
  const binding = { id, type: event.type, schemaVersion: event.version }
  const data = key && event.subject ? withBlob(text, sealFields(JSON.stringify(event.personal), binding, event.subject, key)) : text
  return {
    stored: { id, type: event.type, data, meta: JSON.stringify(meta) },
    decoded: { data: { ...event.clear, ...event.personal }, meta },
    faithful: event.faithful,
  }
}
