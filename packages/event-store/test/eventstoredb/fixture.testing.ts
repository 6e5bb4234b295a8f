import { type EventStoreFixture, type FixtureOptions, startEventStoreFixture } from '@tidings/testing/eventstoredb'
import { onTestFinished } from 'vitest'
import { type EventStoreDbSettings, eventStoreDbStore } from '../../src/eventstoredb/eventstoredb-store.ts'
import type { EventStore, EventToAppend, SubscribeOptions } from '../../src/port.ts'

/** What is asked again is asked soon; nothing that a busy machine answers late has ended by then. */
export const QUICK = {
  append: { attemptMs: 2_000, deadlineMs: 60_000 },
  read: { silenceMs: 2_000, deadlineMs: 60_000 },
  feed: { heartbeatMs: 50, watchdogMs: 2_000 },
}
/** For a test that waits for a deadline. */
export const ENDING = {
  append: { attemptMs: 400, deadlineMs: 3_000 },
  read: { silenceMs: 500, deadlineMs: 3_000 },
}

export function anEvent(type = 'ThingHappened', data: unknown = {}): EventToAppend {
  return {
    ...{ id: crypto.randomUUID(), type, data: JSON.stringify(data), meta: '{}' },
  }
}

export function aStream(): string {
  return `thing-${crypto.randomUUID()}`
}

/** A fixture for one test, closed when the test is over. */
export async function aFixture(options: FixtureOptions = {}): Promise<EventStoreFixture> {
  const fixture = await startEventStoreFixture(options)
  onTestFinished(() => fixture.close())
  return fixture
}

export function aStore(fixture: Pick<EventStoreFixture, 'connectionString'>, settings: Partial<EventStoreDbSettings> = {}): EventStore {
  const store = eventStoreDbStore({ connectionString: fixture.connectionString, times: QUICK, ...settings })
  onTestFinished(() => store.close())
  return store
}

/** The types of the next events of a subscription, as many as are named. */
export async function typesOf(store: EventStore, count: number, options: Partial<SubscribeOptions> = {}): Promise<string[]> {
  const done = new AbortController()
  const types: string[] = []
  for await (const { events } of store.subscribe({ from: 'start', signal: done.signal, ...options })) {
    types.push(...events.map((event) => event.type))
    if (types.length >= count) break
  }
  done.abort()
  return types
}
