import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import type { EventStoreFixture } from '@tidings/testing/eventstoredb'
import { onTestFinished } from 'vitest'

/** The client as it is, for one test. */
export const aClient = (fixture: EventStoreFixture, query = ''): EventStoreDBClient => {
  const client = EventStoreDBClient.connectionString(`${fixture.connectionString}${query}`)
  onTestFinished(() => client.dispose())
  return client
}
export const bare = (type = 'A', data: Record<string, unknown> = {}) => jsonEvent({ type, data })
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
/** Of a promise, without waiting for it to settle. */
export const state = async (promise: Promise<unknown>) => {
  const pending = Symbol()
  const first = await Promise.race([
    promise.then(
      () => 'resolved',
      () => 'rejected',
    ),
    pause(20).then(() => pending),
  ])
  return first === pending ? 'pending' : first
}

/** Lets the event loop go round. */
export const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Runs `work` with unhandled rejections collected, for it to wait for, instead of failing the test run; those on their way at its end count too. */
export const unhandledDuring = async (work: (unhandled: readonly unknown[]) => Promise<unknown>): Promise<unknown[]> => {
  const others = process.listeners('unhandledRejection')
  const unhandled: unknown[] = []
  const collect = (reason: unknown): void => void unhandled.push(reason)
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', collect)
  try {
    await work(unhandled)
    await turns(3)
  } finally {
    process.off('unhandledRejection', collect)
    for (const other of others) process.on('unhandledRejection', other)
  }
  return unhandled
}
