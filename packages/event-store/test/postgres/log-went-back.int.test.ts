import { randomUUID } from 'node:crypto'
import { migrate } from '@tidings/postgres'
import { PATIENT_MS, patientPool, startTestPostgres, type TestPostgres } from '@tidings/testing'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { LogWentBack } from '../../src/errors.ts'
import type { SeenPosition } from '../../src/last-seen.ts'
import type { Batch, EventStore } from '../../src/port.ts'
import { postgresEventStore } from '../../src/postgres/postgres-store.ts'
import { newEvent, newEvents, newStream } from '../contract/helpers.ts'

let server: TestPostgres
let pool: Pool
beforeAll(async () => {
  server = await startTestPostgres()
  pool = patientPool({ url: server.url, max: 4, name: 'went-back' })
  await migrate(pool)
})
afterAll(async () => {
  await pool.end()
  await server.stop()
})

const aStore = (seen?: SeenPosition): EventStore => {
  const store = postgresEventStore({ pool, pollMs: 20, ...(seen && { seen }), appendDeadlineMs: PATIENT_MS })
  onTestFinished(() => store.close())
  return store
}

const heard = (store: EventStore): Batch[] => {
  const done = new AbortController()
  onTestFinished(() => done.abort())
  const batches: Batch[] = []
  void (async () => {
    for await (const batch of store.subscribe({ from: 'end', signal: done.signal })) batches.push(batch)
  })()
  return batches
}

const rewrite = async (sql: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> => {
  const client = await pool.connect()
  await client.query('begin; set local es.allow_rewrite = on')
  const { rows } = await client.query(sql, [...values])
  await client.query('commit')
  client.release()
  return rows
}

/** Takes the end of the log away, as the restore of an older backup does; the result puts it back. */
const setBack = async (events: number): Promise<() => Promise<void>> => {
  const taken = await rewrite(
    `delete from es.event where position > (select max(position) from es.event) - $1
     returning position, stream_id, revision, event_id, type, data, meta, created`,
    [events],
  )
  const names = ['position', 'stream_id', 'revision', 'event_id', 'type', 'data', 'meta', 'created']
  return async () => {
    for (const row of taken)
      await pool.query(
        `insert into es.event (${names}) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        names.map((name) => row[name]),
      )
  }
}

const stored = async (): Promise<number> => (await pool.query('select 1 from es.event')).rowCount ?? 0

const expectNothingOf = async (store: EventStore, stream: string): Promise<void> => {
  const before = await stored()
  const append = { stream: newStream(), expected: 'no_stream', events: [newEvent()] } as const
  const calls = [
    () => store.append(newStream(), 'no_stream', [newEvent()]),
    () => store.append(newStream(), 'any', [newEvent()]),
    () => store.append(stream, 2, [newEvent()]),
    () => store.appendTogether!([append]),
    () => store.readStream(stream),
    () => store.readStream(newStream()),
    () => store.readAll('start', 10),
    () => store.readBytes!('start', 10, {}),
    () => store.head(),
    () => store.deleteStream(stream, 'any'),
  ]
  for (const call of calls) await expect(call()).rejects.toBeInstanceOf(LogWentBack)
  await expect.poll(() => store.confirm().then(String, (error) => error.name)).toBe('LogWentBack')
  expect(await stored()).toBe(before)
}

const aFollowedLog = async () => {
  const store = aStore()
  const stream = newStream()
  await store.append(stream, 'no_stream', newEvents(3))
  const batches = heard(store)
  await expect.poll(() => batches.length).toBeGreaterThan(1)
  return { store, stream, batches }
}

test('a log that lost its end under a store is read and written by it no more; where it is back, the store works on', async () => {
  const { store, stream, batches } = await aFollowedLog()
  const putBack = await setBack(2)
  await expectNothingOf(store, stream)
  const before = batches.length
  await expectNothingOf(store, stream)
  expect(batches.slice(before)).toEqual([])
  await putBack()
  const event = newEvent()
  expect(await store.append(stream, 2, [event])).toMatchObject({ revision: 3 })
  await expect.poll(() => batches.flatMap(({ events }) => events.map(({ id }) => id))).toEqual([event.id])
})

test('a log that lost its end and grew past it is another log, and nothing of it is delivered', async () => {
  const { store, stream, batches } = await aFollowedLog()
  await setBack(2)
  await aStore().append(newStream(), 'no_stream', newEvents(5))
  await expectNothingOf(store, stream)
  expect(batches.flatMap(({ events }) => events)).toEqual([])
})

test('a server that comes back from an older copy is noticed by the first call', async () => {
  const { store, stream } = await aFollowedLog()
  await server.kill()
  await server.start()
  await setBack(1)
  await expectNothingOf(store, stream)
})

test('a log that ends before what the tables of its database have seen is refused from the first call on', async () => {
  const stream = newStream()
  const { position } = await aStore().append(stream, 'no_stream', newEvents(3))
  await aStore({ position, event: null }).confirm()
  await expectNothingOf(aStore({ position: { commit: position.commit + 1n, prepare: 0n }, event: null }), stream)
  await expectNothingOf(aStore({ position, event: { position, id: randomUUID() } }), stream)
})
