import { DETAIL_KINDS, type DetailKind } from '@tidings/domain'
import type { RecordedEvent } from '@tidings/event-store'
import { SubjectKeyMissing, UnknownEventType } from './errors.ts'
import type { Recorded } from './event-log.ts'
import type { SubjectKey, SubjectKeys } from './keys/key-store.ts'
import { type Layer, openLayer, type Period, parsePeriod } from './layers.ts'
import type { Decoded } from './memo.ts'
import { type Parsed, parse, parseFields } from './parse.ts'
import { openFields } from './sealed-fields.ts'
import type { StoredData, UpcastPath } from './upcast/upcast.ts'

/** An event that still needs its keys. `period`: of the details that are inside of its sealed fields, null where there are none. */
export type Pending = Readonly<{ event: RecordedEvent; parsed: Parsed; period: Period | null; path: UpcastPath }>

/**
 * The keys that open an event. `subject`: none where it is erased, null where it never had a key. `details`: the keys of each kind that is inside, none
 * where they were destroyed, null where there are none. `ended`: the kinds that have ended in the event's week, also where no key of a week is.
 */
export type OpeningKeys = Readonly<{
  subject: SubjectKeys | null
  details: ReadonlyMap<DetailKind, SubjectKeys | null>
  ended: ReadonlySet<DetailKind>
}>

/** The event as readers get it. */
export function recorded(event: RecordedEvent, { data, meta }: Decoded, erased: boolean): Recorded {
  return {
    type: event.type,
    data,
    id: event.id,
    stream: event.stream,
    revision: event.revision,
    position: event.position,
    created: event.created,
    meta,
    erased,
  }
}

/** Reads what needs no key. Throws `UnknownEventType` and `UnknownSealFormat`, or what is wrong with the texts. */
export function beginDecode(event: RecordedEvent, path: UpcastPath): Pending {
  const parsed = parse(event)
  const { schemaVersion } = parsed.meta
  if (schemaVersion > path.version) throw new UnknownEventType({ type: event.type, version: schemaVersion, ours: true }, event)
  const text = parsed.sealed?.p
  return { event, parsed, period: text === undefined ? null : parsePeriod(text), path }
}

/** Opens the personal fields and brings the whole to today's shape. */
export function finishDecode({ event, parsed, period, path }: Pending, keys: OpeningKeys): Recorded {
  const { meta, sealed } = parsed
  const from = meta.schemaVersion
  if (sealed === null) return recorded(event, { data: path.upcast(parsed.data, from), meta }, false)
  if (keys.subject === null) throw new SubjectKeyMissing({ workspaceId: meta.workspaceId, subject: sealed.s }, event)
  if (keys.subject.length === 0) return recorded(event, { data: path.erased(parseFields(parsed.clear), from), meta }, true)
  const { text, layers } = openFields(
    sealed,
    period,
    { id: event.id, type: event.type, schemaVersion: from },
    versionOf(keys.subject, sealed.k),
  )
  let fields = text
  const ended = new Set<DetailKind>()
  for (const layer of layers) {
    const opened = keys.ended.has(layer.kind) ? null : openedByAny(layer, event.id, keys.details.get(layer.kind) ?? [])
    if (opened === null) ended.add(layer.kind)
    // What is said last counts: the fields say null of what is inside.
    else fields = `${fields.slice(0, -1)},${opened.slice(1)}`
  }
  const today = path.upcast(parseFields(parsed.clear, fields), from)
  return withEnded(recorded(event, { data: hideEnded(today, { path, keys, ended }), meta }, false), ended)
}

const versionOf = (keys: SubjectKeys, wanted: number): SubjectKey => {
  const key = keys.find(({ version }) => version === wanted)
  if (!key) throw new Error(`its subject has no key of version ${wanted}`)
  return key
}

/**
 * The person's key has opened what is around it, so a layer that no key opens is whole, and its key is lost: another may have been made for the week
 * since. Readers go on without these details; the lost key opens them again where it is put back, whatever its version.
 */
const openedByAny = (layer: Layer, id: string, keys: SubjectKeys): string | null => {
  for (const { key } of keys) {
    try {
      return openLayer(layer, id, key)
    } catch {
      // Another key of the week.
    }
  }
  return null
}

type Hiding = Readonly<{ path: UpcastPath; keys: OpeningKeys; ended: Set<DetailKind> }>

/** An event from before there were keys of weeks shows no more of an ended week than others: a rebuild must not bring back what was cleared. */
const hideEnded = (data: StoredData, { path: { ending }, keys, ended }: Hiding): StoredData => {
  if (keys.ended.size === 0 || ending === undefined) return data
  const hidden: Record<string, unknown> = {}
  for (const kind of keys.ended) {
    const shown = (ending[kind] ?? []).filter((name) => data[name] !== null && data[name] !== undefined)
    if (shown.length > 0) ended.add(kind)
    for (const name of shown) hidden[name] = null
  }
  return Object.keys(hidden).length === 0 ? data : { ...data, ...hidden }
}

const withEnded = (event: Recorded, ended: ReadonlySet<DetailKind>): Recorded =>
  ended.size === 0 ? event : { ...event, ended: DETAIL_KINDS.filter((kind) => ended.has(kind)) }
