import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { WorkspaceId } from '@tidings/domain'
import type { RecordedEvent } from '@tidings/event-store'
import { beginDecode, finishDecode, type Pending, recorded } from './decode-event.ts'
import { CorruptEvent, SubjectKeyMissing, UnknownEventType, UnknownSealFormat } from './errors.ts'
import type { DecodedEvents, Recorded } from './event-log.ts'
import type { KeyRing } from './keys/key-ring.ts'
import type { Memo } from './memo.ts'
import { gatherOpeningKeys, NOT_OPENED } from './opening-keys.ts'
import { createOpenings } from './openings.ts'
import { parseMeta } from './parse.ts'
import type { UpcastPath } from './upcast/upcast.ts'

/** `remember`: other readers will read the same events soon. `personal`: the types whose personal fields the reader looks at; default all. */
export type DecodeOptions = Readonly<{
  types?: ReadonlySet<string> | undefined
  personal?: ReadonlySet<string> | undefined
  workspaceId?: WorkspaceId | undefined
  remember?: boolean
}>

export type Decoder = (events: readonly RecordedEvent[], options?: DecodeOptions) => Promise<DecodedEvents>

type DecoderDependencies = Readonly<{ paths: ReadonlyMap<string, UpcastPath>; keyRing: KeyRing; memo: Memo }>

/** Null: an event of a type that the reader filters out. */
type Item = Pending | Recorded | null

/** The number of events that are decoded, in some 5 ms, before other work of the event loop runs. */
const SLICE = 500

const failureOf = (event: RecordedEvent, error: unknown): Error => {
  if (error instanceof UnknownEventType || error instanceof SubjectKeyMissing) return error
  if (!(error instanceof UnknownSealFormat)) return new CorruptEvent(event, error)
  const { schemaVersion } = parseMeta(event)
  return new UnknownEventType({ type: event.type, version: schemaVersion, sealFormat: error.format, ours: true }, event)
}

const isPending = (item: Item): item is Pending => item !== null && 'parsed' in item

const begin = ({ paths, memo }: DecoderDependencies, event: RecordedEvent, { types, workspaceId }: DecodeOptions): Item => {
  const path = paths.get(event.type)
  if (!path) throw unknownType(event)
  if (types && !types.has(event.type)) return null
  if (workspaceId !== undefined && parseMeta(event).workspaceId !== workspaceId) return null
  const known = memo.get(event)
  return known ? recorded(event, known, false) : beginDecode(event, path)
}

/** Runs `step` for each index of a batch, in slices. Stops at the first that throws and gives its index and error. */
const inSlices = async (count: number, step: (n: number) => void): Promise<Readonly<{ done: number; error: unknown }>> => {
  for (let n = 0; n < count; n++) {
    if (n > 0 && n % SLICE === 0) await yieldToEventLoop()
    try {
      step(n)
    } catch (error) {
      return { done: n, error }
    }
  }
  return { done: count, error: null }
}

/**
 * Whether a batch has no event for the reader, and none of an unknown type. With a dozen readers that is true of most batches: they cost one
 * pass over the types, and no list.
 */
const isIrrelevant = ({ paths }: DecoderDependencies, stored: readonly RecordedEvent[], types: ReadonlySet<string> | undefined): boolean =>
  types !== undefined && stored.every(({ type }) => !types.has(type) && paths.has(type))

const isOpened = ({ type }: RecordedEvent, { types, personal }: DecodeOptions): boolean =>
  (!types || types.has(type)) && (!personal || personal.has(type))

/** Decodes batches in order, without a promise an event. What it knows from the memo it does not open again. */
export function createDecoder(parts: DecoderDependencies): Decoder {
  const openings = createOpenings()
  const decode = decodeAll(parts)
  return async (stored, options = {}) => {
    if (isIrrelevant(parts, stored, options.types)) return { events: [], done: stored.length, failure: null }
    if (!options.remember) return await decode(stored, options)
    const opened = stored.filter((event) => isOpened(event, options))
    return await openings(opened, () => decode(stored, options))
  }
}

const decodeAll =
  (parts: DecoderDependencies) =>
  async (stored: readonly RecordedEvent[], options: DecodeOptions): Promise<DecodedEvents> => {
    const { personal, remember } = options
    const items: Item[] = []
    const begun = await inSlices(stored.length, (n) => items.push(begin(parts, stored[n]!, options)))
    const pending = items.map((item) => (isPending(item) && isOpened(item.event, { personal }) ? item : null))
    const epoch = parts.memo.epoch()
    const keys = await gatherOpeningKeys(parts.keyRing, pending)
    const events: Recorded[] = []
    const finished = await inSlices(items.length, (n) => {
      const item = items[n] ?? null
      if (item === null) return
      const event = isPending(item) ? finishDecode(item, keys[n] ?? NOT_OPENED) : item
      events.push(event)
      if (remember && isPending(item) && !event.erased && event.ended === undefined) parts.memo.set(item.event, event, epoch)
    })
    // The first failure is behind all of `events` in the log.
    const error = finished.error ?? begun.error
    const at = finished.done
    return { events, done: at, failure: error === null ? null : failureOf(stored[at]!, error) }
  }

const isOurs = (event: RecordedEvent): boolean => {
  try {
    parseMeta(event)
    return true
  } catch {
    return false
  }
}

/** The error for an event of an undeclared type. `ours`: its meta is as `encode` writes it. */
export function unknownType(event: RecordedEvent): UnknownEventType {
  return new UnknownEventType({ type: event.type, version: null, ours: isOurs(event) }, event)
}
