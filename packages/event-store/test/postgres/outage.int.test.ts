import { migrate } from '@tidings/postgres'
import { patientPool, startTestPostgres, type TestPostgres, until } from '@tidings/testing'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Batch, EventStore } from '../../src/port.ts'
import { postgresEventStore } from '../../src/postgres/postgres-store.ts'
import { follow, newEvent, newEvents, newStream, seenAll } from '../contract/helpers.ts'

let server: TestPostgres
let pool: Pool
let store: EventStore
const warnings: string[] = []
beforeAll(async () => {
  server = await startTestPostgres()
  pool = patientPool({ url: server.url, max: 4, name: 'outage' })
  await migrate(pool)
  store = postgresEventStore({ pool, appendDeadlineMs: 1_000, maxQueued: 10, log: { warn: (_, message) => warnings.push(message) } })
})
afterAll(async () => {
  await store.close()
  await pool.end()
  await server.stop()
})

test('while Postgres is down, appends are unavailable in one sentence and the queue stays bounded; afterwards it goes on by itself', async () => {
  const ending = new AbortController()
  const batches: Batch[] = []
  const following = (async () => {
    for await (const batch of store.subscribe({ from: 'end', signal: ending.signal })) batches.push(batch)
  })()
  const stored: string[] = []
  const isStored = () => {
    const event = newEvent()
    return store.append(newStream(), 'any', [event]).then(
      () => stored.push(event.id) > 0,
      () => false,
    )
  }
  await until(async () => expect(await isStored()).toBe(true))
  await server.kill()
  // The backend of a server that was killed ends by itself, perhaps after one more answer.
  while (await isStored());
  const late = newEvents(15)
  const settled = await Promise.allSettled(late.map((event) => store.append(newStream(), 'any', [event])))
  const reasons = settled.map((result) => (result.status === 'rejected' ? result.reason : undefined))
  expect(reasons.every((error) => error?.name === 'Unavailable' && error.retryable)).toBe(true)
  expect(reasons.filter((error) => error.message.includes('are waiting for the event log already'))).toHaveLength(5)
  expect(reasons.filter((error) => error.message.includes('did not answer in time'))).toHaveLength(10)
  expect(warnings).toContain('the outcome of a batch of appends is unknown; it is sent again')
  await server.start()
  const [stream, event] = [newStream(), newEvent()]
  await until(() => store.append(stream, 'any', [event]))
  const seen = (await follow(store, { from: 'start', until: seenAll([event.id]) })).map(({ id }) => id)
  // An append without an answer may be stored as well.
  expect(seen).toEqual(expect.arrayContaining([...stored, event.id]))
  expect(new Set(seen).size).toBe(seen.length)
  expect(late.filter(({ id }) => seen.includes(id))).toEqual([])
  while (!batches.some((batch) => batch.events.some(({ id }) => id === event.id))) await new Promise(setImmediate)
  ending.abort()
  await following
})

test('a database without the schema says so', async () => {
  const empty = patientPool({ url: server.url, max: 2, name: 'empty' })
  await empty.query('create database empty')
  await empty.end()
  const url = new URL(server.url)
  url.pathname = '/empty'
  const other = patientPool({ url: url.href, max: 2, name: 'empty' })
  const unmigrated = postgresEventStore({ pool: other, appendDeadlineMs: 5_000 })
  await expect(unmigrated.append(newStream(), 'any', [newEvent()])).rejects.toThrow(/schema "es" does not exist|es\.append/)
  await unmigrated.close()
  await other.end()
})
