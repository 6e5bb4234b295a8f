import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import type { EventStoreFixture } from '@tidings/testing/eventstoredb'
import { onTestFinished } from 'vitest'

/** The client as it is, for one test. */
export function aClient(fixture: EventStoreFixture, query = ''): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(`${fixture.connectionString}${query}`)
  onTestFinished(() => client.dispose())
  return client
}
export function bare(type = 'A', data: Record<string, unknown> = {}) {
  return jsonEvent({ type, data })
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
/** The state of a promise, without waiting for it to settle. */
export async function state(promise: Promise<unknown>) {
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

/** Waits for `count` turns of the event loop. */
export async function nextTicks(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve))
}

/** Runs `work` with unhandled rejections collected, for it to wait for, instead of failing the test run; those on their way at its end count too. */
export async function unhandledDuring(work: (unhandled: readonly unknown[]) => Promise<unknown>): Promise<unknown[]> {
  const others = process.listeners('unhandledRejection')
  const unhandled: unknown[] = []
  const collect = (reason: unknown): void => void unhandled.push(reason)
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', collect)
  try {
    await work(unhandled)
    await nextTicks(3)
  } finally {
    process.off('unhandledRejection', collect)
    for (const other of others) process.on('unhandledRejection', other)
  }
  return unhandled
}
