import { DETAIL_KINDS, type DetailKind, type EventDeclaration, type EventDeclarations, type WorkspaceId } from '@tidings/domain'
import { type EventToAppend, InvalidAppend } from '@tidings/event-store'
import { UnknownEventType } from './errors.ts'
import type { AppendContext, EventMeta } from './event-log.ts'
import { eventId } from './ids.ts'
import type { SubjectKey } from './keys/key-store.ts'
import { joinLayers, periodText, sealLayer } from './layers.ts'
import type { Decoded } from './memo.ts'
import { SEALED, sealFields } from './sealed-fields.ts'
import { checkStorable } from './storable.ts'

type Fields = Record<string, unknown>

/** Details of an event that end earlier than its subject. */
type Ending = Readonly<{ kind: DetailKind; fields: Fields }>

/**
 * An event that may be stored, its personal fields set apart. `subject` is null where it has no personal data. What is in `ending` is null in
 * `personal`: it reads so once its period has ended.
 */
export type Prepared = Readonly<{
  type: string
  version: number
  clear: Fields
  personal: Fields
  ending: readonly Ending[]
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

const isImpersonal = ({ personal }: EventDeclaration, data: object): boolean => personal?.isImpersonal?.(data as never) === true

const NO_ENDING: readonly Ending[] = []

/** Takes the details that hold something out of the personal fields. */
const takeEnding = (declaration: EventDeclaration, personal: Fields): readonly Ending[] => {
  const declared = declaration.personal?.ending
  if (declared === undefined) return NO_ENDING
  const taken: Ending[] = []
  for (const kind of DETAIL_KINDS) {
    const fields: Fields = {}
    for (const name of declared[kind] ?? []) {
      const value = personal[name]
      if (value === null || value === undefined) continue
      fields[name] = value
      personal[name] = null
    }
    if (Object.keys(fields).length > 0) taken.push({ kind, fields })
  }
  return taken
}

/** Checks one event on its way in. A blob is made only where a personal field holds something: nulls stay readable. */
export function prepare(declarations: EventDeclarations, stream: string, event: Draft): Prepared {
  const declaration = Object.hasOwn(declarations, event.type) ? declarations[event.type] : undefined
  if (!declaration) throw new UnknownEventType({ type: event.type, version: null, ours: false }, { stream, position: null })
  if (!isFields(event.data)) throw new InvalidAppend(`the data of ${event.type} is not an object`)
  const faithful = checkStorable(event.data)
  const { clear, personal, isPersonal } = split(event.data, declaration.personal?.fields ?? [])
  const { version } = declaration
  if (!isPersonal || isImpersonal(declaration, event.data))
    return { type: event.type, version, clear: { ...clear, ...personal }, personal: {}, ending: NO_ENDING, subject: null, faithful }
  const ending = takeEnding(declaration, personal)
  return { type: event.type, version, clear, personal, ending, subject: subjectOf(declaration, event.data), faithful }
}

const metaOf = ({ workspaceId, actor, requestId, causationId, at }: AppendContext, schemaVersion: number): EventMeta =>
  causationId === undefined
    ? { workspaceId, actor, requestId, schemaVersion, at }
    : { workspaceId, actor, requestId, causationId, schemaVersion, at }

/** The begin of the metadata of every event of a workspace, as `metaOf` writes it; no other event's metadata begins so. */
export function metaStart(workspaceId: WorkspaceId): string {
  return `{"workspaceId":${JSON.stringify(workspaceId)},`
}

const withBlob = (text: string, blob: string): string =>
  text === '{}' ? `{"${SEALED}":${blob}}` : `${text.slice(0, -1)},"${SEALED}":${blob}}`

export type StreamPosition = Readonly<{ stream: string; n: number; context: AppendContext }>

/** The keys of one event: that of its subject, and of the week of its details, in their order; null where these have ended already. */
export type EventKeys = Readonly<{ subject: SubjectKey; week: string; details: readonly (SubjectKey | null)[] }>

const sealedText = (event: Prepared, subject: string, { keys, id }: Readonly<{ keys: EventKeys; id: string }>): string => {
  const binding = { id, type: event.type, schemaVersion: event.version }
  const fields = JSON.stringify(event.personal)
  const kept = event.ending.flatMap(({ kind, fields }, n) => {
    const key = keys.details[n]
    return key ? [{ kind, sealed: sealLayer(JSON.stringify(fields), kind, id, key.key) }] : []
  })
  const by = { subject, key: keys.subject }
  if (kept.length === 0) return sealFields(fields, binding, by)
  const period = periodText({ week: keys.week, kinds: kept.map(({ kind }) => kind) })
  const layers = kept.map(({ sealed }) => sealed)
  return sealFields(joinLayers(fields, layers), binding, { ...by, period })
}

const readable = ({ clear, personal, ending }: Prepared, keys: EventKeys | null): Fields => {
  const data = { ...clear, ...personal }
  for (const [n, { fields }] of ending.entries()) if (keys?.details[n]) Object.assign(data, fields)
  return data
}

/** The texts of the `n`-th event of an append. `keys` are null where the event has no subject. */
export function encode(event: Prepared, keys: EventKeys | null, position: StreamPosition): Encoded {
  const id = eventId(position.context.commandId, position.stream, position.n)
  const meta = metaOf(position.context, event.version)
  const text = JSON.stringify(event.clear)
  const data = keys && event.subject ? withBlob(text, sealedText(event, event.subject, { keys, id })) : text
  return {
    stored: { id, type: event.type, data, meta: JSON.stringify(meta) },
    decoded: { data: readable(event, keys), meta },
    faithful: event.faithful,
  }
}
