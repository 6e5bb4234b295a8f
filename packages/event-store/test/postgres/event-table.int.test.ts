import { randomUUID } from 'node:crypto'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EventStore } from '../../src/port.ts'
import { int4Array, textArray, uuidArray } from '../../src/postgres/binary-array.ts'
import { postgresEventStore } from '../../src/postgres/postgres-store.ts'
import { newEvent, newEvents, newStream } from '../contract/helpers.ts'

let database: TestDatabase
let store: EventStore
beforeAll(async () => {
  database = await testDatabase()
  store = postgresEventStore({ pool: database.pool, appendDeadlineMs: PATIENT_MS })
})
afterAll(async () => {
  await store.close()
  await database.drop()
})

describe('the event table', () => {
  test.each(['update es.event set data = data', 'delete from es.event', 'truncate es.event'])('refuses: %s', async (sql) => {
    await store.append(newStream(), 'any', [newEvent()])
    await expect(database.pool.query(sql)).rejects.toThrow('append-only')
    const [first] = (await store.readAll('start', 1)).events
    expect(first).toBeDefined()
  })

  test('can be rewritten under a flag of the session', async () => {
    const stream = newStream()
    await store.append(stream, 'any', [newEvent()])
    const client = await database.pool.connect()
    await client.query(`begin; set local es.allow_rewrite = on`)
    const { rowCount } = await client.query('update es.event set meta = $2 where stream_id = $1', [stream, '{}'])
    await client.query('commit')
    client.release()
    expect(rowCount).toBe(1)
  })

  test('takes no time before that of the last event, whatever the clock says', async () => {
    const client = await database.pool.connect()
    const ahead = '2099-01-01T00:00:00.000Z'
    await client.query(`begin; set local es.allow_rewrite = on`)
    await client.query('update es.event set created = $1 where position = (select max(position) from es.event)', [ahead])
    await client.query('commit')
    client.release()
    const stream = newStream()
    await store.append(stream, 'any', [newEvent()])
    expect((await store.readStream(stream))[0]!.created).toBe(ahead)
  })

  test('shows an append that commits late before those that waited for it', async () => {
    const client = await database.pool.connect()
    const slow = newStream()
    const from = await store.head()
    await client.query('begin')
    await client.query(
      `select * from es.append(array[$1], array[-1], array[1], array[1], array[0], array[$2::uuid], array['Slow'], array['{}'], array['{}'])`,
      [slow, randomUUID()],
    )
    const fast = newStream()
    const waiting = store.append(fast, 'any', [newEvent()])
    expect((await store.readAll(from, 10)).events).toEqual([])
    await client.query('commit')
    client.release()
    await waiting
    expect((await store.readAll(from, 10)).events.map((event) => event.stream)).toEqual([slow, fast])
  })

  test('one batch judges every append for itself', async () => {
    const [known, other] = [newStream(), newStream()]
    const events = newEvents(2)
    await store.append(known, 'any', events)
    const settled = await Promise.allSettled([
      store.append(other, 'no_stream', [newEvent(), events[1]!]),
      store.append(known, 1, [events[0]!]),
      store.append(known, 'any', events.toReversed()),
      store.append(newStream(), 'no_stream', newEvents(3)),
      store.append(newStream(), 'stream_exists', [newEvent()]),
    ])
    expect(settled.map((result) => (result.status === 'rejected' ? result.reason.name : result.value.revision))).toEqual([
      'EventIdConflict',
      'EventIdConflict',
      'EventIdConflict',
      2,
      'WrongExpectedRevision',
    ])
  })
})

test('one read of the log is bounded in bytes, and says that there is more', async () => {
  const from = await store.head()
  const data = JSON.stringify('x'.repeat(1_000_000))
  for (let n = 0; n < 20; n++) await store.append(newStream(), 'any', [newEvent({ data })])
  const first = await store.readAll(from, 100)
  expect([first.events.length, first.caughtUp]).toEqual([16, false])
  const rest = await store.readAll(first.to, 100)
  expect([rest.events.length, rest.caughtUp]).toEqual([4, true])
})

test('binary arrays arrive as they were', async () => {
  const texts = ['', 'plain', '"quoted", \\back\\ {braces}', 'é€😀', 'NULL', 'x'.repeat(70_000)]
  const ids = texts.map(() => randomUUID())
  const numbers = [0, -1, -4, 2_147_483_647, -2_147_483_648, 7]
  const { rows } = await database.pool.query('select $1::text[] as texts, $2::uuid[] as ids, $3::int[] as numbers, $4::text[] as none', [
    textArray(texts),
    uuidArray(ids),
    int4Array(numbers),
    textArray([]),
  ])
  expect(rows[0]).toEqual({ texts, ids, numbers, none: [] })
})
