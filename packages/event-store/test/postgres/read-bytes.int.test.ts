import { PATIENT_MS, patientPool, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type EventStore, START } from '../../src/port.ts'
import { postgresEventStore } from '../../src/postgres/postgres-store.ts'

const COUNT = 20_000

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.pool.query(
    `insert into es.event (position, stream_id, revision, event_id, type, data, meta, created)
     select n, 'filler-' || n, 0, gen_random_uuid(), 'Filled', jsonb_build_object('n', n, 'text', repeat('x', 900))::text, '{}', now() - interval '1 hour' + n * interval '137 microseconds'
     from generate_series(1, ${COUNT}) n`,
  )
})
afterAll(() => database.drop())

const openStore = () => {
  const pool = patientPool({ url: database.url, max: 2, name: 'read-bytes' })
  const store: EventStore = postgresEventStore({ pool, appendDeadlineMs: PATIENT_MS })
  onTestFinished(async () => {
    await store.close()
    await pool.end()
  })
  if (store.readBytes === undefined) throw new Error('this store can')
  return { store, readBytes: store.readBytes }
}

test('a page is bounded in bytes, and says that there is more', async () => {
  const { readBytes } = openStore()
  const { events, to, caughtUp } = await readBytes(START, COUNT, {})
  const bytes = events.reduce((sum, { data, meta }) => sum + data.length + meta.length, 0)
  expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024)
  expect(bytes).toBeGreaterThan(15 * 1024 * 1024)
  expect([to, caughtUp]).toEqual([events.at(-1)?.position, false])
})

test('the times are those that a read of texts gives, to the microsecond', async () => {
  const { store, readBytes } = openStore()
  const { events } = await readBytes(START, 2_000, {})
  expect(events.map(({ created }) => created)).toEqual((await store.readAll('start', 2_000)).events.map(({ created }) => created))
})

test('where the client has a timeout for queries, a page that was read leaves no timer', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
  const url = new URL(database.url)
  url.searchParams.set('query_timeout', '600000')
  const pool = patientPool({ url: url.href, max: 1, name: 'read-bytes-timeout' })
  const store: EventStore = postgresEventStore({ pool, appendDeadlineMs: PATIENT_MS })
  const before = timers()
  for (let n = 0; n < 50; n++) (await store.readBytes!(START, 1, {})).release()
  expect(timers() - before).toBeLessThan(10)
  await store.close()
  await pool.end()
})

test('a page that is given back twice is given once', async () => {
  const { readBytes } = openStore()
  const first = await readBytes(START, 1, {})
  first.release()
  first.release()
  const [one, other] = await Promise.all([readBytes(START, 1, {}), readBytes({ commit: 1n, prepare: 0n }, 1, {})])
  expect([one, other].map(({ events }) => JSON.parse(String(events[0]?.data)).n)).toEqual([1, 2])
})

test('a page that is given back again after another reader has its buffer is given once', async () => {
  const { readBytes } = openStore()
  const first = await readBytes(START, 1, {})
  first.release()
  const one = await readBytes(START, 1, {})
  first.release()
  const other = await readBytes({ commit: 1n, prepare: 0n }, 1, {})
  expect([one, other].map(({ events }) => JSON.parse(String(events[0]?.data)).n)).toEqual([1, 2])
})

test('a page is what it was until it is released, whatever is read meanwhile', async () => {
  const { readBytes } = openStore()
  const pages = await Promise.all([readBytes(START, 1, {}), readBytes({ commit: 1n, prepare: 0n }, 1, {})])
  for (let n = 0; n < 4; n++) (await readBytes({ commit: 7n, prepare: 0n }, 1, {})).release()
  expect(pages.map(({ events }) => JSON.parse(String(events[0]?.data)).n)).toEqual([1, 2])
})

test('where its connection is cut a read fails, and the next one is whole', async () => {
  const { readBytes } = openStore()
  const all = async () => (await readBytes(START, COUNT, {})).events.length
  const whole = await all()
  for (let n = 0; n < 10; n++) {
    const reading = all().catch((error: unknown) => error)
    for (let k = 0; k < n * 4; k++) await database.pool.query('select')
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'read-bytes' and datname = current_database()`,
    )
    const read = await reading
    if (read !== whole) expect(read).toBeInstanceOf(Error)
  }
  await expect.poll(() => all().catch(String)).toBe(whole)
})
