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
export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
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
