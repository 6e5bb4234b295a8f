import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { lineOf } from '../../../src/proof/anchor/anchored-line.ts'
import { repairTree } from '../../../src/proof/check/repair-tree.ts'
import { type VerifiedLog, verifyLog } from '../../../src/proof/check/verify-log.ts'
import { growTree } from '../../../src/proof/grow-tree.ts'
import { lastHead, type SignedHead } from '../../../src/proof/heads.ts'
import { signDueHead } from '../../../src/proof/keep-heads.ts'
import { logKeyOf } from '../../../src/proof/log-key.ts'
import { assertNotAhead } from '../../../src/proof/newest-event.ts'
import { openWorld, type World } from '../proof.testing.ts'

let world: World
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-hides-'))
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(async () => {
  world = await openWorld('Postgres')
  await append(600)
})
afterEach(() => world.close())

const event = () => ({ id: crypto.randomUUID(), type: 'ThingHappened', data: '{}', meta: '{}' })
const append = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n += 100)
    await world.store.append(`thing-${crypto.randomUUID()}`, 'no_stream', Array.from({ length: Math.min(100, count - n) }, event))
}
/** Acts like a process that has seen nothing of the log. */
const withStore = async <T>(work: (store: World['store']) => Promise<T>): Promise<T> => {
  const store = postgresEventStore({ pool: world.pool, appendDeadlineMs: PATIENT_MS })
  return await work(store).finally(store.close)
}
const sign = (): Promise<SignedHead | null> =>
  withStore(async (store) => {
    const { pool, key } = world
    await growTree({ pool, store })
    await signDueHead(pool, key, { everyMs: 0, everyEvents: 1 }, () => new Date())
    return await lastHead(pool, key)
  })
const verified = (more: Partial<Parameters<typeof verifyLog>[0]> = {}): Promise<VerifiedLog> =>
  withStore((store) => {
    const { pool, key } = world
    return verifyLog({ pool, store, readers: null, key, anchorFile: null, restart: true, onProgress: () => undefined, ...more })
  })
const repaired = (anchorFile: string | null = null): Promise<number> =>
  withStore((store) => repairTree({ pool: world.pool, store, key: world.key, anchorFile, onProgress: () => undefined }))
const tamper = (sql: string) => world.pool.query(`set es.allow_rewrite = 'on'; ${sql}; reset es.allow_rewrite`)
const problems = async (more: Parameters<typeof verified>[0] = {}) => (await verified(more)).problems

describe('dates ahead of the clock', () => {
  test('of events and of heads are named, and the log says that it is ahead', async () => {
    await sign()
    await expect(assertNotAhead(world.pool)).resolves.toBeUndefined()
    await tamper(`insert into es.event select 601, 'thing-ahead', 0, gen_random_uuid(), 'Ahead', '{}', '{}', '2099-01-01'`)
    await append(1)
    await sign()
    const named = (position: number) =>
      expect.stringMatching(
        new RegExp(`^Dated 2099-01-01T00:00:00.000Z, later than now, is the event .* \\(position ${position}\\): it was dated ahead\\.$`),
      )
    expect(await problems()).toEqual([
      ...[named(601), named(602)],
      'The tree head of 602 events (2099-01-01T00:00:00.000Z) is dated later than now.',
    ])
    await expect(assertNotAhead(world.pool)).rejects.toThrow(
      /^The newest event of the log is dated 2099-01-01T00:00:00\.000Z, which is later/,
    )
  })

  test('by some seconds are those of a clock', async () => {
    await tamper(`update es.event set created = clock_timestamp() + interval '20 seconds' where position = 600`)
    await append(1)
    await sign()
    expect(await verified()).toMatchObject({ ok: true, heads: 1 })
    await expect(assertNotAhead(world.pool)).resolves.toBeUndefined()
  })
})

describe('two events of one stream and revision', () => {
  const copied = (
    into: string,
  ) => `insert into ${into} select (select max(position) + 1 from es.event), stream_id, revision, gen_random_uuid(),
    'Another', data, meta, (select max(created) from es.event) from es.event where position = 42`
  const found = expect.stringMatching(
    /^Stream thing-.* has more than one event of revision 41: the event .* \(ThingHappened, position 42\) and the event .* \(Another, position 601\)\. An export may/,
  )

  test('are named where the table lost what keeps them out', async () => {
    const { rows } = await world.pool.query(
      `select conname from pg_constraint where conrelid = 'es.event'::regclass and contype = 'u' and pg_get_constraintdef(oid) like '%(stream_id, revision)'`,
    )
    if (rows.length > 0) await world.pool.query(`alter table es.event drop constraint ${rows[0].conname}`)
    else
      await world.pool.query(
        `do $$ begin execute (select 'drop index es.' || relname from pg_index join pg_class on oid = indexrelid
           where indrelid = 'es.event'::regclass and pg_get_indexdef(indexrelid) like '%UNIQUE%(stream_id, revision)%'); end $$`,
      )
    await tamper(copied('es.event'))
    await sign()
    expect(await problems()).toEqual([found])
  })

  test('are named where the second is in a table that inherits', async () => {
    await world.pool.query('create table public.child () inherits (es.event)')
    await world.pool.query(copied('public.child'))
    await sign()
    expect(await problems()).toEqual([found])
  })
})

describe('a log without heads', () => {
  test('that is older than a head takes is a finding, and a young one is none', async () => {
    await withStore((store) => growTree({ pool: world.pool, store }))
    expect(await verified()).toMatchObject({ ok: true, heads: 0 })
    await tamper(`update es.event set created = created - interval '1 hour'`)
    await world.pool.query('truncate proof.tree, proof.tile')
    expect(await problems()).toEqual([
      expect.stringMatching(/^No head of the tree is signed, though the first event is of .*: the heads were removed/),
    ])
    await sign()
    expect(await verified()).toMatchObject({ ok: true, heads: 1 })
  })

  test('has no tree made anew of it, while anything is left of the one before', async () => {
    const head = await sign()
    await tamper(`update es.event set data = '{"n":"forged"}' where position = 310`)
    await world.pool.query('delete from proof.head; delete from proof.tile where level = 0 and index = 1')
    await expect(repaired()).rejects.toThrow(/^No tree head that is signed is left, kept or anchored, and there is a tree/)
    await world.pool.query('delete from proof.tree')
    await expect(repaired()).rejects.toThrow(/^No tree head that is signed is left/)
    const anchorFile = join(folder, 'laundered')
    await writeFile(anchorFile, `${lineOf(head!)}\n`)
    await expect(repaired(anchorFile)).rejects.toThrow(/^A signed tree head of 600 events is of another history than the log/)
    await world.pool.query('truncate proof.tile')
    expect(await repaired()).toBe(600)
  })

  test.each(['damaged', `foreign`, 'forged'])('is not repaired by an anchor of which a line is %s', async (kind) => {
    const head = (await sign())!
    const stranger = logKeyOf(Buffer.alloc(32, 9))
    const foreign = { signature: stranger.sign(head.statement), statement: head.statement }
    const line = { damaged: lineOf(head).replace('"size"', '"sise"'), foreign: lineOf(foreign), forged: null }[kind] ?? null
    if (line === null) await world.pool.query(`update proof.head set signature = decode(repeat('ab', 64), 'hex')`)
    const anchorFile = join(folder, kind)
    await writeFile(anchorFile, `${lineOf(head)}\n${line ?? lineOf(head)}\n`)
    await world.pool.query('delete from proof.tile where level = 0 and index = 1')
    await expect(repaired(anchorFile)).rejects.toThrow(/(no tree head|not signed by the key of this log|is forged): what it would say/)
  })
})

test('an anchor without heads is a finding, and a converted one is none', async () => {
  const head = (await sign())!
  const anchorFile = join(folder, 'of-log')
  for (const text of ['', '\n', '\r\n']) {
    await writeFile(anchorFile, text)
    expect(await problems({ anchorFile })).toEqual(['The anchor has no tree head.'])
  }
  await writeFile(anchorFile, `${lineOf(head)}\r\n\r\n`)
  expect(await problems({ anchorFile })).toEqual([])
})

test('a stopped verification that is put back, signed as it is, makes no log right', async () => {
  await append(4_000)
  await sign()
  await world.pool.query(`create table public.stolen as select * from proof.verification;
    create function public.steal() returns trigger language plpgsql as $$ begin insert into public.stolen select new.*; return new; end $$;
    create trigger steal after insert or update on proof.verification for each row execute function public.steal()`)
  expect((await verified({ saveEveryMs: 0 })).ok).toBe(true)
  await tamper(`update es.event set data = '{"n":"forged"}' where position in (10, 310)`)
  await world.pool.query(`drop trigger steal on proof.verification;
    insert into proof.verification select * from public.stolen order by size desc limit 1`)
  const resumed = await verified({ restart: false })
  expect(resumed.resumed?.events).toBeGreaterThanOrEqual(2_000)
  expect(resumed).toMatchObject({ ok: false, problems: [] })
  expect(await verified()).toMatchObject({ ok: false, problems: [{}, {}].map(() => expect.stringMatching(/^Changed after it was signed/)) })
})
