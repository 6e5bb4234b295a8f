import type { RecordedEvent } from '@tidings/event-store'
import { SubjectKeyMissing, UnknownEventType } from './errors.ts'
import type { Recorded } from './event-log.ts'
import type { SubjectKeys } from './keys/key-ring.ts'
import type { Decoded } from './memo.ts'
import { type Parsed, parse, parseFields } from './parse.ts'
import { openFields } from './sealed-fields.ts'
import type { UpcastPath } from './upcast/upcast.ts'

/** An event that still needs its subject's keys. */
export type Pending = Readonly<{ event: RecordedEvent; parsed: Parsed; path: UpcastPath }>

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

/** Reads what needs no key. Throws `UnknownEventType`, or what is wrong with the texts. */
export function beginDecode(event: RecordedEvent, path: UpcastPath): Pending {
  const parsed = parse(event)
  const { schemaVersion } = parsed.meta
  if (schemaVersion > path.version) throw new UnknownEventType({ type: event.type, version: schemaVersion, ours: true }, event)
  return { event, parsed, path }
}

/** Opens the personal fields and brings the whole to today's shape. Without any key the subject is erased; null: it never had one. */
export function finishDecode({ event, parsed, path }: Pending, keys: SubjectKeys | null): Recorded {
  const { meta, sealed } = parsed
  const from = meta.schemaVersion
  if (sealed === null) return recorded(event, { data: path.upcast(parsed.data, from), meta }, false)
  if (keys === null) throw new SubjectKeyMissing({ workspaceId: meta.workspaceId, subject: sealed.s }, event)
  if (keys.length === 0) return recorded(event, { data: path.erased(parseFields(parsed.clear), from), meta }, true)
  const key = keys.find(({ version }) => version === sealed.k)
  if (!key) throw new Error(`its subject has no key of version ${sealed.k}`)
  const fields = openFields(sealed, { id: event.id, type: event.type, schemaVersion: from }, key)
  return recorded(event, { data: path.upcast(parseFields(parsed.clear, fields), from), meta }, false)
}
