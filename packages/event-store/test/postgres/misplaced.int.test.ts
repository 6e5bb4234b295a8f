import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EventStore } from '../../src/port.ts'
import { postgresEventStore } from '../../src/postgres/postgres-store.ts'
import { newEvent, newStream } from '../contract/helpers.ts'

let database: TestDatabase
let store: EventStore
beforeEach(async () => {
  database = await testDatabase()
  store = postgresEventStore({ pool: database.pool, appendDeadlineMs: PATIENT_MS })
  await store.append(newStream(), 'any', [newEvent(), newEvent(), newEvent()])
})
afterEach(async () => {
  await store.close()
  await database.drop()
})

const insert = (position: string, created: string, count = 1): string => `insert into es.event
  select ${position}, 'put-' || gen_random_uuid(), 0, gen_random_uuid(), 'Put', '{}', '{}', ${created} from generate_series(1, ${count}) n`
const tamper = (sql: string) => database.pool.query(`begin; set local es.allow_rewrite = on; ${sql}; commit`)
const append = () => store.append(newStream(), 'any', [newEvent(), newEvent()])
const newest = async () => (await database.pool.query('select position::int, created from es.event order by position desc limit 1')).rows[0]

describe('an insert beside es.append', () => {
  test.each<[string, string, string, number]>([
    ['a time of 2099', '4', `'2099-01-01'::timestamptz`, 1],
    ['a time a minute ahead', '4', `clock_timestamp() + interval '1 minute'`, 1],
    ['a time without end', '4', `'infinity'::timestamptz`, 1],
    ['a time of 2021', '4', `'2021-01-01'::timestamptz`, 1],
    ['a time just before the newest event', '4', `(select max(created) - interval '1 ms' from es.event)`, 1],
    ['a position that is ahead', '953', 'clock_timestamp()', 1],
    ['a position that leaves one out', '5', 'clock_timestamp()', 1],
    ['a position that is ahead, with a time of the past', '953', '(select max(created) from es.event)', 1],
    ['position 0', '0', 'clock_timestamp()', 1],
    ['rows of which the second leaves a position out', '2 + 2 * n', 'clock_timestamp()', 2],
    ['rows of which the second is ahead in time', '3 + n', `clock_timestamp() + (n - 1) * interval '1 hour'`, 2],
  ])('is refused with %s', async (_, position, created, count) => {
    await expect(database.pool.query(insert(position, created, count))).rejects.toThrow('es.event is append-only: an event of ')
    expect(await newest()).toMatchObject({ position: 3 })
  })

  test('is refused in the transaction that has just done another such insert', async () => {
    const sql = `begin; ${insert('4', 'clock_timestamp()')}; ${insert('9', 'clock_timestamp()')}; commit`
    await expect(database.pool.query(sql)).rejects.toThrow('es.event is append-only')
    await database.pool.query('rollback')
  })

  test('at the end of the log, and of now, is taken, and waits for an append', async () => {
    const appending = await database.pool.connect()
    await appending.query('begin; select es.lock()')
    const waiting = await database.pool.connect()
    await waiting.query(`set lock_timeout = '50ms'`)
    await expect(waiting.query(insert('4', 'clock_timestamp()'))).rejects.toThrow('lock timeout')
    await appending.query('rollback')
    await waiting.query(insert('3 + n', 'clock_timestamp()', 10))
    await waiting.query('reset lock_timeout')
    for (const client of [appending, waiting]) client.release()
    expect(await newest()).toMatchObject({ position: 13 })
    await append()
    expect(await newest()).toMatchObject({ position: 15 })
  })

  test('of a log that is copied back in its order is taken', async () => {
    await append()
    await database.pool.query('create table public.taken as select * from es.event')
    await tamper(`update public.taken set created = created - interval '1 hour'; delete from es.event`)
    await database.pool.query('insert into es.event select * from public.taken order by position')
    expect(await newest()).toMatchObject({ position: 5 })
    await append()
    expect(await newest()).toMatchObject({ position: 7 })
  })
})

test('es.append goes on, in position and time, where the clock was set back or the log is ahead of it', async () => {
  await tamper(`update es.event set created = clock_timestamp() + interval '10 minutes' where position = 3`)
  const ahead = (await newest()).created
  await append()
  const stream = newStream()
  await store.append(stream, 'any', [newEvent()])
  // Repeated, it is judged by the other way of es.append.
  const known = newEvent()
  await store.append(stream, 0, [known])
  await store.append(stream, 0, [known])
  expect(await newest()).toEqual({ position: 7, created: ahead })
})
