import { type EventStoreFixture, startEventStoreFixture } from '@tidings/testing/eventstoredb'
import { onTestFinished } from 'vitest'
import type { EventStore, EventToAppend, SubscribeOptions } from '../port.ts'
import { type EventStoreDbSettings, eventStoreDbStore } from './eventstoredb-store.ts'

/** Short enough that a test may wait for a deadline, long enough for two busy cores. */
export const QUICK = {
  append: { attemptMs: 400, deadlineMs: 1_500 },
  read: { silenceMs: 500, deadlineMs: 3_000 },
  feed: { heartbeatMs: 50, watchdogMs: 200 },
}

export const anEvent = (type = 'ThingHappened', data: unknown = {}): EventToAppend => ({
  ...{ id: crypto.randomUUID(), type, data: JSON.stringify(data), meta: '{}' },
})

export const aStream = (): string => `thing-${crypto.randomUUID()}`

/** A fixture for one test, closed when the test is over. */
export const aFixture = async (): Promise<EventStoreFixture> => {
  const fixture = await startEventStoreFixture()
  onTestFinished(() => fixture.close())
  return fixture
}

export const aStore = (fixture: EventStoreFixture, settings: Partial<EventStoreDbSettings> = {}): EventStore => {
  const store = eventStoreDbStore({ connectionString: fixture.connectionString, times: QUICK, ...settings })
  onTestFinished(() => store.close())
  return store
}

/** The types of the next events of a subscription, as many as are named. */
export const typesOf = async (store: EventStore, count: number, options: Partial<SubscribeOptions> = {}): Promise<string[]> => {
  const done = new AbortController()
  const types: string[] = []
  for await (const { events } of store.subscribe({ from: 'start', signal: done.signal, ...options })) {
    types.push(...events.map((event) => event.type))
    if (types.length >= count) break
  }
  done.abort()
  return types
}

/** Runs `work` with unhandled rejections collected instead of failing the test run; waits until those on their way have come. */
export const unhandledDuring = async (work: () => Promise<unknown>): Promise<unknown[]> => {
  const others = process.listeners('unhandledRejection')
  const unhandled: unknown[] = []
  const collect = (reason: unknown): void => void unhandled.push(reason)
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', collect)
  try {
    await work()
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  } finally {
    process.off('unhandledRejection', collect)
    for (const other of others) process.on('unhandledRejection', other)
  }
  return unhandled
}
