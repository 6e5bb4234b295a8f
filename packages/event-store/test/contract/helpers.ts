import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Appended, Batch, EventStore, EventToAppend, ExpectedRevision, Position, RecordedEvent } from '../../src/port.ts'

/** An unused stream. */
export function newStream(category = 'contract'): string {
  return `${category}-${randomUUID()}`
}

export function newEvent(change: Partial<EventToAppend> = {}): EventToAppend {
  return {
    id: randomUUID(),
    type: 'SomethingHappened',
    data: '{"n":1}',
    meta: '{"by":"contract"}',
    ...change,
  }
}

export function newEvents(count: number): EventToAppend[] {
  return Array.from({ length: count }, (_, n) => newEvent({ data: `{"n":${n}}` }))
}

export function idsOf(events: readonly Readonly<{ id: string }>[]): string[] {
  return events.map((event) => event.id)
}

/** `count` events, one append each, at the exact revision. */
export async function grow(store: EventStore, stream: string, count: number): Promise<EventToAppend[]> {
  const events = newEvents(count)
  for (const [n, event] of events.entries()) await store.append(stream, n === 0 ? 'no_stream' : n - 1, [event])
  return events
}

type Name = 'WrongExpectedRevision' | 'EventIdConflict' | 'StreamDeleted' | 'InvalidAppend'

/** The append is refused with one of these errors, says that repeating does not help, and the stream is as before. */
export async function expectRefusal(
  store: EventStore,
  append: Readonly<{ stream: string; expected: ExpectedRevision; events: readonly EventToAppend[] }>,
  ...names: readonly Name[]
): Promise<void> {
  const before = await store.readStream(append.stream)
  await expect(store.append(append.stream, append.expected, append.events)).rejects.toSatisfy(
    (error: { name: string; retryable: boolean }) => (names as readonly string[]).includes(error.name) && !error.retryable,
  )
  expect(idsOf(await store.readStream(append.stream))).toEqual(idsOf(before))
}

/** The same place in the log as the first time. */
export function expectRepetition(again: Appended, first: Appended, tellsDuplicates: boolean): void {
  expect({ revision: again.revision, position: again.position }).toEqual({ revision: first.revision, position: first.position })
  if (tellsDuplicates) expect(again.duplicate).toBe(true)
}

export type Reading = Readonly<{
  from: Position | 'start' | 'end'
  maxBatch?: number
  /** Enough was seen. */
  until: (events: readonly RecordedEvent[], batch: Batch) => boolean
  onBatch?: (batch: Batch) => void | Promise<void>
}>

/** Follows the log until enough was seen; the subscription is then ended. */
export async function follow(store: EventStore, { from, maxBatch, until, onBatch }: Reading): Promise<RecordedEvent[]> {
  const ending = new AbortController()
  const events: RecordedEvent[] = []
  for await (const batch of store.subscribe({ from, signal: ending.signal, ...(maxBatch === undefined ? {} : { maxBatch }) })) {
    events.push(...batch.events)
    await onBatch?.(batch)
    if (until(events, batch)) break
  }
  ending.abort()
  return events
}

/** Enough once every one of these ids was seen. */
export function seenAll(ids: readonly string[]): (events: readonly RecordedEvent[]) => boolean {
  const missing = new Set(ids)
  let looked = 0
  return (events) => {
    for (; looked < events.length; looked++) missing.delete(events[looked]!.id)
    return missing.size === 0
  }
}

/** Every event of these streams once, in the order of its stream and of the log. */
export function expectOnceInOrder(seen: readonly RecordedEvent[], stream: string, count: number): void {
  const revisions = seen.filter((event) => event.stream === stream).map((event) => event.revision)
  expect(revisions).toEqual(Array.from({ length: count }, (_, n) => n))
}

/** `writers` of a stream each, `each` events one after the other, all at the same time. Resolves with the streams. */
export async function write(store: EventStore, { writers, each }: Readonly<{ writers: number; each: number }>): Promise<string[]> {
  const streams = Array.from({ length: writers }, () => newStream())
  await Promise.all(streams.map((stream) => grow(store, stream, each)))
  return streams
}
