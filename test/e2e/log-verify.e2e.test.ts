import { loadConfig } from '@tidings/config'
import { openLogKey, verifyLog } from '@tidings/evidence/proof'
import { createLog } from '@tidings/observability/log'
import { openStores, type Stores } from '@tidings/service/stores'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runTidings } from './support/service-process.ts'

/** Parts of the log are of 2 000 events: two are read, and of the third a half. */
const EVENTS = 5_000
const WORKSPACE = '0192f0c1-0000-7000-8000-00000000000a'
const SENTENCE = /^[^\n]+\n$/

let db: TestDatabase
let stores: Stores
let settings: Readonly<Record<string, string>>
beforeAll(async () => {
  db = await testDatabase()
  settings = { TIDINGS_DATABASE_URL: db.url, TIDINGS_MASTER_KEY: '11'.repeat(32), TIDINGS_LOG_LEVEL: 'error' }
  stores = await openStores({ config: loadConfig(settings, null), log: await createLog({ level: 'error' }), mode: 'command' })
  const meta = JSON.stringify({ workspaceId: WORKSPACE, actor: 'test', requestId: 'r', at: '2026-11-21T10:00:00.000Z', schemaVersion: 1 })
  const tag = () => ({
    id: crypto.randomUUID(),
    type: 'TagCreated',
    data: JSON.stringify({ tagId: crypto.randomUUID(), name: 'spring' }),
    meta,
  })
  for (let n = 0; n < EVENTS; n += 500)
    await stores.store.append(`tag-${crypto.randomUUID()}`, 'no_stream', Array.from({ length: 500 }, tag))
  // What a call keeps while it runs, for the case that it is stopped.
  await db.pool.query(`create table public.kept as select * from proof.verification;
    create function public.keep() returns trigger language plpgsql as $$ begin insert into public.kept select new.*; return new; end $$;
    create trigger keep after insert or update on proof.verification for each row execute function public.keep()`)
  const key = await openLogKey(stores.keyRing)
  const reading = { pool: stores.pool, store: stores.store, readers: null, key, anchorFile: null, restart: true, saveEveryMs: 0 }
  expect((await verifyLog({ ...reading, onProgress: () => undefined })).ok).toBe(true)
  await db.pool.query('drop trigger keep on proof.verification')
})
afterAll(async () => {
  await stores.close()
  await db.drop()
})

const verified = (...options: readonly string[]) => runTidings(['log', 'verify', ...options], settings)
/** As a call leaves it that was stopped behind its first part. */
const stop = () => db.pool.query('insert into proof.verification select * from public.kept order by size limit 1')
const tamper = (sql: string) => db.pool.query(`set es.allow_rewrite = 'on'; ${sql}; reset es.allow_rewrite`)

test('a call that goes on with a stopped one ends with 3 where nothing is wrong, and says what it did not read', async () => {
  await stop()
  const { code, stdout } = await verified('--json')
  expect([code, JSON.parse(stdout)]).toEqual([
    3,
    expect.objectContaining({ ok: false, events: EVENTS, problems: [], resumed: { events: 2_000, begunAt: expect.any(String) } }),
  ])
  await stop()
  const said = await verified()
  expect(said.code).toBe(3)
  expect(said.stdout).toMatch(
    /^Nothing is wrong with the 3000 events, .*\nThe first 2000 events were not read again: .*--restart reads all\.\n/,
  )
  for (const options of [[], ['--restart']]) expect((await verified(...options)).code).toBe(0)
})

test('what is wrong ends it with 1, in what it reads; in what it does not, --restart finds it', async () => {
  await tamper(`create table public.was as select * from es.event where position in (42, 4000)`)
  await tamper(`update es.event set data = '{"name":"forged"}' where position = 42`)
  await stop()
  expect((await verified('--json')).code).toBe(3)
  await stop()
  const all = await verified('--restart', '--json')
  expect([all.code, JSON.parse(all.stdout)]).toEqual([
    1,
    expect.objectContaining({ ok: false, resumed: null, problems: [expect.stringMatching(/^Changed after it was signed/)] }),
  ])
  await tamper(`update es.event e set data = w.data from public.was w where w.position = e.position`)
  await tamper(`update es.event set data = '{"name":"forged"}' where position = 4000`)
  await stop()
  const rest = await verified('--json')
  expect([rest.code, JSON.parse(rest.stdout).problems]).toEqual([1, [expect.stringMatching(/^Changed after it was signed/)]])
  await tamper(`update es.event e set data = w.data from public.was w where w.position = e.position`)
})

test('a repair that is refused ends with 1 and one sentence, and leaves the tree as it is', async () => {
  const tree = async () => (await db.pool.query('select level, index, hashes from proof.tile order by level, index')).rows
  await db.pool.query('delete from proof.head; delete from proof.tile where level = 0 and index = 3')
  const before = await tree()
  const { code, stdout, stderr } = await verified('--repair', '--json')
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(SENTENCE)
  expect(stderr).toMatch(/^No tree head that is signed is left, kept or anchored, and there is a tree/)
  expect(await tree()).toEqual(before)
})
