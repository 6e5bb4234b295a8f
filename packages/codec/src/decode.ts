import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RecordedEvent } from '@tidings/event-store'
import { beginDecode, finishDecode, type Pending, recorded } from './decode-event.ts'
import { CorruptEvent, UnknownEventType } from './errors.ts'
import type { Recorded } from './event-log.ts'
import { gatherKeys, type KeyNeed } from './gather-keys.ts'
import type { KeyRing, SubjectKeys } from './keys/key-ring.ts'
import type { Memo } from './memo.ts'
import type { UpcastPath } from './upcast/upcast.ts'

/** `done` counts the stored events that are dealt with; `failure` is why the one after them could not be. */
export type DecodedEvents = Readonly<{ events: readonly Recorded[]; done: number; failure: Error | null }>

/** `remember`: other readers will ask for the same events soon. */
export type DecodeOptions = Readonly<{ types?: ReadonlySet<string> | undefined; remember?: boolean }>

export type Decoder = (events: readonly RecordedEvent[], options?: DecodeOptions) => Promise<DecodedEvents>

type Parts = Readonly<{ paths: ReadonlyMap<string, UpcastPath>; keyRing: KeyRing; memo: Memo }>

/** Null: an event of a type that the reader does not want. */
type Begun = Readonly<{ items: readonly (Pending | Recorded | null)[]; failure: Error | null }>

/** So many events are decoded, some 5 ms, before the event loop gets a turn. */
const SLICE = 500

const failureOf = (event: RecordedEvent, error: unknown): Error =>
  error instanceof UnknownEventType ? error : new CorruptEvent(event, error)

const needOf = ({ parsed: { meta, sealed } }: Pending): KeyNeed | null =>
  sealed && { workspaceId: meta.workspaceId, subject: sealed.s, version: sealed.k }

const isPending = (item: Pending | Recorded | null): item is Pending => item !== null && 'parsed' in item

const begin = ({ paths, memo }: Parts, events: readonly RecordedEvent[], types?: ReadonlySet<string>): Begun => {
  const items: (Pending | Recorded | null)[] = []
  for (const event of events) {
    try {
      const path = paths.get(event.type)
      if (!path) throw new UnknownEventType(event.type, event)
      const known = types && !types.has(event.type) ? null : memo.get(event)
      items.push(known === undefined ? beginDecode(event, path) : known && recorded(event, known, false))
    } catch (error) {
      return { items, failure: failureOf(event, error) }
    }
  }
  return { items, failure: null }
}

const finish = (begun: Begun, keys: readonly SubjectKeys[], memo: Memo | null): DecodedEvents => {
  const events: Recorded[] = []
  for (const [n, item] of begun.items.entries()) {
    if (item === null) continue
    if (!isPending(item)) {
      events.push(item)
      continue
    }
    try {
      const event = finishDecode(item, keys[n] ?? [])
      events.push(event)
      if (memo && !event.erased) memo.set(item.event, event)
    } catch (error) {
      return { events, done: n, failure: failureOf(item.event, error) }
    }
  }
  return { events, done: begun.items.length, failure: begun.failure }
}

/** Decodes batches in order, without a promise an event. What it knows from the memo it does not open again. */
export const createDecoder = (parts: Parts): Decoder => {
  const decodeSlice: Decoder = async (events, options = {}) => {
    const begun = begin(parts, events, options.types)
    const needs = begun.items.map((item) => (isPending(item) ? needOf(item) : null))
    const keys = await gatherKeys(parts.keyRing, needs)
    return finish(begun, keys, options.remember ? parts.memo : null)
  }
  return async (events, options) => {
    if (events.length <= SLICE) return decodeSlice(events, options)
    const all: Recorded[] = []
    for (let start = 0; start < events.length; start += SLICE) {
      if (start > 0) await nextTurn()
      const slice = await decodeSlice(events.slice(start, start + SLICE), options)
      all.push(...slice.events)
      if (slice.failure) return { events: all, done: start + slice.done, failure: slice.failure }
    }
    return { events: all, done: events.length, failure: null }
  }
}
