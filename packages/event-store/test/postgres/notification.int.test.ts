import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Batch } from '../../src/port.ts'
import { postgresEventStore } from '../../src/postgres/postgres-store.ts'
import { newEvent, newStream } from '../contract/helpers.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

test.each(['', 'nonsense', '-1', '999999999999999999'])(
  'a notification of "%s" takes nothing from those who follow the log',
  async (payload) => {
    const [store, other] = [1, 2].map(() => postgresEventStore({ pool: database.pool, pollMs: 500, appendDeadlineMs: PATIENT_MS }))
    const done = new AbortController()
    onTestFinished(async () => {
      done.abort()
      await Promise.all([store!.close(), other!.close()])
    })
    const batches: Batch[] = []
    void (async () => {
      for await (const batch of store!.subscribe({ from: 'end', signal: done.signal })) batches.push(batch)
    })()
    await expect.poll(() => batches.length).toBeGreaterThan(0)
    await database.pool.query("select pg_notify('es_appended', $1)", [payload])
    const event = newEvent()
    await other!.append(newStream(), 'any', [event])
    await expect.poll(() => batches.flatMap(({ events }) => events.map(({ id }) => id))).toEqual([event.id])
  },
)
