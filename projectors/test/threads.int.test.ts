import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEventLog, type EventLog, openKeyRing, upcasters } from '@tidings/codec'
import { asContactId, asWorkspaceId, type ContactId, contactStream, eventDeclarations } from '@tidings/domain'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { listParked, partInThread, RebuildRefused, rebuild } from '@tidings/projections'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectionNamed, rebuildThreads } from '../src/index.ts'
import { divided } from './log.ts'
import { dump } from './tables.ts'

const MASTER_KEY = '5a'.repeat(32)
const CONTACTS = 40

const profiles = projectionNamed('profiles')
const workspaceId = asWorkspaceId(randomUUID())

let database: TestDatabase
let log: EventLog

beforeAll(async () => {
  database = await testDatabase()
  const { pool } = database
  const keyRing = await openKeyRing({ pool, masterKey: MASTER_KEY })
  log = divided(
    createEventLog({
      store: postgresEventStore({ pool, appendDeadlineMs: PATIENT_MS }),
      declarations: eventDeclarations,
      upcasters,
      keyRing,
    }),
  )
  for (let n = 0; n < CONTACTS; n++) await renamed(asContactId(randomUUID()), n)
  await rebuild({ projection: profiles, log, pool })
})

afterAll(async () => {
  await log.close()
  await database.drop()
})

const renamed = async (contactId: ContactId, n: number): Promise<void> => {
  const context = { commandId: randomUUID(), workspaceId, actor: 'test', requestId: 'test', at: '2026-01-01T00:00:00.000Z' }
  const nothing = { phone: null, notes: null, lastName: null, timezone: null, locale: null, emailClaimId: null, phoneClaimId: null }
  const created = { contactId, email: `${n}@example.com`, firstName: 'Ada', source: 'api', tags: [], customProperties: {}, ...nothing }
  const events = [
    { type: 'ContactCreated', data: created },
    { type: 'ContactDetailsChanged', data: { contactId, firstName: `Augusta ${n}` } },
  ]
  await log.append(contactStream(workspaceId, contactId), 'no_stream', events, context)
}

const source = () => ({ url: database.url, masterKeys: [MASTER_KEY] as const })
const here = () => ({ projection: profiles, log, pool: database.pool })

/** The tables, what is parked, and which tables there are. */
const state = async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'read'::regnamespace order by 1`,
  )
  return { rows: await dump(database.pool, [profiles]), parked: await listParked(database.pool), names: rows.map(({ name }) => name) }
}

test('threads open what is sealed, and leave the very tables that one thread does', async () => {
  const before = await state()
  expect(before.rows.profiles).toHaveLength(CONTACTS)
  await database.pool.query(`update read.profiles set first_name = 'nothing of the log'`)
  const threads = { ...rebuildThreads(source(), 2), leastEvents: 0 }
  const { events, parked } = await rebuild({ ...here(), threads, page: 5 })
  expect({ events, parked }).toEqual({ events: 2 * CONTACTS, parked: 0 })
  expect(await state()).toEqual(before)
})

test.each([
  [
    'ends',
    new URL('./ending.thread.ts', import.meta.url),
    /A thread of the rebuild of profiles ended \(exit code 7\); the live tables are as they were/,
  ],
  [
    'runs out of memory',
    new URL('./greedy.thread.ts', import.meta.url),
    /A thread of the rebuild of profiles ended \(.*memory.*\); the live tables are as they were/,
  ],
])('a thread that %s ends the rebuild with a sentence, and the live tables stay', async (_, module, sentence) => {
  const before = await state()
  const start = partInThread(module, null)
  const failed = await rebuild({ ...here(), threads: { count: 2, leastEvents: 0, start } }).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(RebuildRefused)
  expect(failed).toMatchObject({ message: expect.stringMatching(sentence) })
  expect(await state()).toEqual(before)
})

test('a thread that has not the master key in force says so, and the live tables stay', async () => {
  const before = await state()
  const threads = { ...rebuildThreads({ ...source(), masterKeys: ['77'.repeat(32)] }, 2), leastEvents: 0 }
  await expect(rebuild({ ...here(), threads })).rejects.toThrow('start this process again with TIDINGS_MASTER_KEY')
  expect(await state()).toEqual(before)
})

test('each thread holds the master key as a process does, so that a rotation waits for it', async () => {
  const { pool } = database
  await pool.query('delete from keys.holder')
  const blocking = await pool.connect()
  const locked = Promise.withResolvers<void>()
  // It is asked for when the next tables are there, and before threads are started.
  const head = async () => {
    await blocking.query('begin; lock table read.profiles__next in share mode')
    locked.resolve()
    return await log.head()
  }
  const threads = { ...rebuildThreads(source(), 2), leastEvents: 0 }
  const rebuilding = rebuild({ ...here(), log: { ...log, head }, threads })
  await locked.promise
  const holders = () => pool.query('select 1 from keys.holder')
  while ((await holders()).rowCount !== 2) await sleep(20)
  await blocking.query('rollback')
  blocking.release()
  await rebuilding
})

test('a short log starts no thread', async () => {
  const start = () => {
    throw new Error('a thread was started')
  }
  await rebuild({ ...here(), threads: { count: 4, start } })
})

test('a session of a thread that outlives its process is waited for before its tables are dropped', async () => {
  const { pool } = database
  const left = await pool.connect()
  await left.query(`select pg_advisory_lock_shared(hashtextextended('rebuild writers profiles', 0))`)
  const rebuilding = rebuild(here())
  const waiting = () =>
    pool.query(`select 1 from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`)
  while ((await waiting()).rowCount === 0) await sleep(20)
  expect((await state()).names.filter((name) => name.includes('__next'))).toEqual([])
  left.release(true)
  await rebuilding
})
