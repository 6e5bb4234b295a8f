import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventStore } from '@tidings/event-store'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { lineOf } from '../../../src/proof/anchor/anchored-line.ts'
import { repairTree } from '../../../src/proof/check/repair-tree.ts'
import { type VerifiedLog, verifyLog } from '../../../src/proof/check/verify-log.ts'
import { growTree } from '../../../src/proof/grow-tree.ts'
import { lastHead, type SignedHead } from '../../../src/proof/heads.ts'
import { signDueHead } from '../../../src/proof/keep-heads.ts'
import { assertTreeWhole } from '../../../src/proof/tree-tables.ts'
import { openWorld, STORES, type World } from '../proof.testing.ts'

const COUNT = 700

const fill = async ({ store }: World, count: number): Promise<void> => {
  for (let n = 0; n < count; n += 50) {
    const events = Array.from({ length: 50 }, (_, k) => ({
      id: crypto.randomUUID(),
      type: 'ThingHappened',
      data: `{"n":${n + k}}`,
      meta: '{}',
    }))
    await store.append(`thing-${crypto.randomUUID()}`, 'no_stream', events)
  }
}

const sign = async ({ pool, store, key }: World): Promise<SignedHead | null> => {
  await growTree({ pool, store })
  await signDueHead(pool, key, { everyMs: 0, everyEvents: 1 }, () => new Date())
  return await lastHead(pool, key)
}

/** Acts like a process that has seen nothing of the log. */
const verified = async ({ pool, key }: World, more: Readonly<{ anchorFile?: string; restart?: boolean }> = {}): Promise<VerifiedLog> => {
  const store = postgresEventStore({ pool, appendDeadlineMs: PATIENT_MS })
  try {
    return await verifyLog({ pool, store, readers: null, key, anchorFile: null, restart: true, onProgress: () => undefined, ...more })
  } finally {
    await store.close()
  }
}

test.each(STORES)('an untouched log in %s is right', async (kind) => {
  const world = await openWorld(kind)
  await fill(world, 300)
  await sign(world)
  await fill(world, 300)
  const head = await sign(world)
  const { pool, store, key } = world
  expect(await verifyLog({ pool, store, readers: null, key, anchorFile: null, restart: false, onProgress: () => undefined })).toEqual({
    ...{ ok: true, problems: [], notes: [], resumed: null },
    ...{ events: 600, heads: 2, root: head?.statement.root },
  })
  await world.close()
})

describe('a log that was tampered with', () => {
  let world: World
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidings-verify-'))
  })
  afterAll(() => rm(folder, { recursive: true }))
  beforeEach(async () => {
    world = await openWorld('Postgres')
    await fill(world, COUNT)
    await sign(world)
  })
  afterEach(() => world.close())

  const tamper = (sql: string) => world.pool.query(`set es.allow_rewrite = 'on'; ${sql}; reset es.allow_rewrite`)

  test('names an event of which a byte was changed', async () => {
    await tamper(`update es.event set data = '{"n":1e9}' where position = 310`)
    const { ok, problems, events } = await verified(world)
    expect([ok, events]).toEqual([false, COUNT])
    expect(problems).toEqual([
      expect.stringMatching(
        /^Changed after it was signed: the event .* \(ThingHappened, revision 9 of thing-.*\) \(position 310\), event 309 of the log\.$/,
      ),
    ])
  })

  test('names an event whose time was changed by less than a millisecond, where a reader sees it', async () => {
    await tamper(`update es.event set created = created + interval '700 microseconds' where position = 2`)
    expect((await verified(world)).problems).toEqual([expect.stringMatching(/^Changed after it was signed: the event .* \(position 2\)/)])
  })

  test('names where events were removed', async () => {
    await tamper('delete from es.event where position in (1, 257, 258)')
    expect((await verified(world)).problems).toEqual([
      expect.stringMatching(/^Missing before the event .* \(position 2\): 1 event that was signed, from event 0 on\.$/),
      expect.stringMatching(/^Missing before the event .* \(position 259\): 2 events that were signed, from event 256 on\.$/),
    ])
  })

  test('names an event that was put between others', async () => {
    await tamper(`update es.event set position = -position where position > 400; update es.event set position = 1 - position where position < 0;
      insert into es.event select 401, 'thing-new', 0, gen_random_uuid(), type, data, meta, created from es.event where position = 400`)
    expect((await verified(world)).problems).toEqual([
      expect.stringMatching(/^Added to what was signed: the event .* of thing-new\) \(position 401\)\.$/),
    ])
  })

  test('names two events that changed places', async () => {
    await tamper(`update es.event set position = -1 where position = 500; update es.event set position = 500 where position = 520;
      update es.event set position = 520 where position = -1`)
    expect((await verified(world)).problems).toEqual([
      expect.stringMatching(
        /^In another order than it was signed stands the event .* \(position 500\): it was event 519, and is event 499\.$/,
      ),
    ])
  })

  test('names a forged head, and one that is of another tree', async () => {
    await world.pool.query(`update proof.head set signature = decode(repeat('ab', 64), 'hex')`)
    expect((await verified(world)).problems).toEqual([expect.stringMatching(/^The tree head of 700 events \(.*\) is forged/)])
    await world.pool.query(`update proof.tile set hashes = set_byte(hashes, 32, get_byte(hashes, 32) # 1) where level = 0 and index = 1`)
    expect((await verified(world)).problems).toEqual([
      expect.stringMatching(/^Changed after it was signed: .* event 257 of the log\.$/),
      expect.stringMatching(/^The tree head of 700 events/),
      expect.stringMatching(/^The stored tree does not fit its leaves: tile 1\/0, of 2 hashes\.$/),
    ])
  })

  test('names a log that ends before its tree, and before what was anchored', async () => {
    const head = await sign(world)
    const anchorFile = join(folder, 'anchor')
    await writeFile(anchorFile, `${lineOf(head!)}\nnonsense\n`)
    await tamper('delete from es.event where position > 650')
    const beside = await verified(world, { anchorFile })
    expect(beside.problems).toEqual([
      'The log ends 50 events before its tree: they were removed, or an older backup was restored.',
      'Line 2 of the anchor is no tree head.',
    ])
    // A backup brings its own tree with it: only what was kept outside knows better.
    await world.pool.query('truncate proof.tree, proof.tile, proof.head')
    expect((await verified(world, { anchorFile })).problems).toEqual([
      expect.stringMatching(
        /^Line 1 of the anchor is a tree head of 700 events \(.*\), and the log has 650: events were removed, or an older backup was restored\.$/,
      ),
      'Line 2 of the anchor is no tree head.',
    ])
    await world.pool.query('truncate proof.tree, proof.tile')
    const grown = { ...world, store: postgresEventStore({ pool: world.pool, appendDeadlineMs: PATIENT_MS }) }
    await fill(grown, 100)
    expect((await verified(world, { anchorFile })).problems[0]).toMatch(
      /^Line 1 of the anchor is a tree head of 700 events of another history/,
    )
    await grown.store.close()
  })

  test('takes an anchor with lines that a crash has torn, and lists the first problems of one that is full of them', async () => {
    const line = lineOf((await sign(world))!)
    const anchorFile = join(folder, 'torn')
    await writeFile(anchorFile, `${line.slice(0, 200)}\n${line}\n`)
    expect(await verified(world, { anchorFile })).toMatchObject({
      ...{ ok: true, problems: [] },
      notes: ['Line 1 of the anchor was torn by a crash while it was written: it is not counted.'],
    })
    await writeFile(anchorFile, `${line}\n${line.slice(0, 9)}`)
    expect((await verified(world, { anchorFile })).problems).toEqual([
      'Line 2 of the anchor, the last, is damaged: it has no end. The next head that is anchored ends it.',
      'Line 2 of the anchor is no tree head.',
    ])
    await writeFile(anchorFile, 'nonsense\n'.repeat(500))
    const { problems } = await verified(world, { anchorFile })
    expect([problems.length, problems.at(-1)]).toEqual([101, 'There is more that is not listed.'])
  })

  test('names an event that was dated back where the log has a tree of it, signed or not', async () => {
    const insert = (position: number, created: string) => `insert into es.event
      select ${position}, 'contact-backdated', ${position}, gen_random_uuid(), 'ContactConsentRecorded', '{}', '{}', ${created}`
    await expect(world.pool.query(insert(701, `'2021-03-01T10:00:00Z'`))).rejects.toThrow('es.event is append-only: an event of 2021-03-01')
    await expect(world.pool.query(insert(0, 'now()'))).rejects.toThrow('at position 0 is refused')
    await expect(world.pool.query(insert(701, `'2099-03-01T10:00:00Z'`))).rejects.toThrow('es.event is append-only: an event of 2099-03-01')
    await tamper(insert(701, `'2021-03-01T10:00:00Z'`))
    await fill({ ...world, store: postgresEventStore({ pool: world.pool, appendDeadlineMs: PATIENT_MS }) }, 100)
    await tamper(insert(802, `(select created - interval '1 millisecond' from es.event where position = 801)`))
    await sign({ ...world, store: postgresEventStore({ pool: world.pool, appendDeadlineMs: PATIENT_MS }) })
    const found = (position: number) =>
      expect.stringMatching(
        `^Dated .*, and behind what was recorded at .*, is the event .* \\(position ${position}\\): it was backdated\\.$`,
      )
    expect((await verified(world)).problems).toEqual([found(701), found(802)])
  })

  test('names a stream that a row in the database hides from readers', async () => {
    await world.pool.query(`insert into es.stream_meta (stream_id, max_age_seconds) values ('contact-w-c', 0)`)
    expect((await verified(world)).problems).toEqual([
      'Events of stream contact-w-c are hidden from readers by its row in es.stream_meta, which Tidings did not write.',
    ])
  })

  test('does not go on from a row that is not signed, that was changed, or that is old', async () => {
    await tamper(`update es.event set data = '{}' where position = 5`)
    const planted = `insert into proof.verification (size, position_commit, position_prepare, begun_at, open_tiles, problems)
      select size, position_commit, position_prepare, clock_timestamp(), (
        select jsonb_agg(jsonb_build_object('level', level, 'index', index, 'hashes', encode(hashes, 'hex'))) from proof.tile
        where (level, index) in ((0, 2), (1, 0))), '[]' from proof.tree`
    await world.pool.query(planted)
    expect(await verified(world, { restart: false })).toMatchObject({ ok: false, resumed: null })
    const stop = async (): Promise<void> => {
      const store = postgresEventStore({ pool: world.pool, appendDeadlineMs: PATIENT_MS })
      const readers = { url: '', threads: 1, part: 100 }
      const onProgress = (done: number): void => {
        if (done >= 300) throw new Error('stopped')
      }
      const { pool, key } = world
      const request = { pool, store, readers, key, anchorFile: null, restart: true, onProgress, saveEveryMs: 0 }
      await expect(verifyLog(request)).rejects.toThrow('stopped')
      await store.close()
    }
    for (const change of [
      `problems = '[]'`,
      'size = size + 1',
      `begun_at = begun_at - interval '25 hours'`,
      `latest = '9'`,
      'signature = null',
    ]) {
      await stop()
      await world.pool.query(`update proof.verification set ${change}`)
      expect(await verified(world, { restart: false })).toMatchObject({ ok: false, resumed: null })
    }
    await stop()
    expect(await verified(world, { restart: false })).toMatchObject({ ok: false, resumed: { events: 200 } })
  })

  /** Acts like a process that has seen nothing of the log. */
  const repaired = async (anchorFile: string | null = null): Promise<number> => {
    const store = postgresEventStore({ pool: world.pool, appendDeadlineMs: PATIENT_MS })
    const { pool, key } = world
    return await repairTree({ pool, store, key, anchorFile, onProgress: () => undefined }).finally(store.close)
  }

  test('of a tree that lacks tiles, or has damaged ones, is made anew where every signed head fits the log', async () => {
    const damages = [
      'delete from proof.tile where level = 0 and index = 1',
      'delete from proof.tile where level = 1',
      'update proof.tile set hashes = substr(hashes, 33) where level = 0 and index = 0',
      'delete from proof.tree',
    ]
    const head = await sign(world)
    for (const damage of damages) {
      await world.pool.query(damage)
      await expect(assertTreeWhole(world.pool)).rejects.toThrow(
        /^The tree over the log is damaged: .* Run `tidings log verify --repair`\.$/,
      )
      expect(await repaired()).toBe(COUNT)
      await assertTreeWhole(world.pool)
      expect(await verified(world)).toMatchObject({ ok: true, root: head?.statement.root })
    }
    // The leaf is behind every head, in a whole tile: what a signed head covers is right.
    await world.pool.query('update proof.tile set hashes = set_byte(hashes, 3, get_byte(hashes, 3) # 1) where level = 0 and index = 1')
    await expect(assertTreeWhole(world.pool)).resolves.toBeUndefined()
    expect((await verified(world)).ok).toBe(false)
    await repaired()
    expect((await verified(world)).ok).toBe(true)
  })

  test('is not made anew over a log that was changed, cut, or may have been', async () => {
    const anchorFile = join(folder, 'repair-anchor')
    await writeFile(anchorFile, `${lineOf((await sign(world))!)}\n`)
    const tree = async () => (await world.pool.query('select level, index, hashes from proof.tile order by 1, 2')).rows
    await fill(world, 50)
    await growTree(world)
    const before = await tree()
    await tamper(
      `create table kept as select * from es.event where position = 740; update es.event set data = '{"n":-1}' where position = 740`,
    )
    await expect(repaired()).rejects.toThrow(
      /^Event 739 of the log is not what its tree was made of, and is behind the last signed tree head/,
    )
    await tamper(
      `update es.event set data = (select data from kept) where position = 740; update es.event set data = '{"n":-1}' where position = 3`,
    )
    await expect(repaired()).rejects.toThrow(/^A signed tree head of 700 events is of another history than the log/)
    await world.pool.query('truncate proof.head')
    await expect(repaired(anchorFile)).rejects.toThrow(/^A signed tree head of 700 events is of another history than the log/)
    await tamper('delete from es.event where position > 600')
    await expect(repaired(anchorFile)).rejects.toThrow(/^A signed tree head has 700 events, and the log 600: it was cut/)
    expect(await tree()).toEqual(before)
  })

  test('goes on where it was stopped, and forgets nothing that it had found', async () => {
    await fill(world, 10_000)
    await sign(world)
    await tamper(`update es.event set data = '{}' where position = 5`)
    const { pool, key } = world
    const store = postgresEventStore({ pool, appendDeadlineMs: PATIENT_MS })
    let pages = 0
    const dieAtSixth = (): void => {
      if (pages++ === 5) throw new Error('killed')
    }
    const killed: EventStore = {
      ...store,
      readAll: async (...of) => {
        dieAtSixth()
        return await store.readAll(...of)
      },
      readBytes: async (...of) => {
        dieAtSixth()
        return await store.readBytes!(...of)
      },
    }
    const request = { pool, readers: null, key, anchorFile: null, restart: false, onProgress: () => undefined, saveEveryMs: 0 }
    await expect(verifyLog({ ...request, store: killed })).rejects.toThrow('killed')
    const resumed = await verifyLog({ ...request, store })
    expect(resumed.resumed?.events).toBeGreaterThanOrEqual(4_000)
    const whole = await verified(world)
    expect({ ...resumed, heads: whole.heads, resumed: null }).toEqual(whole)
    expect(whole.problems).toHaveLength(1)
    await store.close()
  })

  test('stopped between two events that changed places, it says of them what it says in one go', async () => {
    await tamper(`update es.event set position = -9 where position = 95; update es.event set position = 95 where position = 106;
      update es.event set position = 106 where position = -9`)
    const { pool, key } = world
    const store = postgresEventStore({ pool, appendDeadlineMs: PATIENT_MS })
    const readers = { url: '', threads: 1, part: 100 }
    const request = { pool, store, readers, key, anchorFile: null, restart: false, onProgress: () => undefined, saveEveryMs: 0 }
    let parts = 0
    const onProgress = (): void => {
      if (++parts === 2) throw new Error('stopped')
    }
    await expect(verifyLog({ ...request, onProgress })).rejects.toThrow('stopped')
    const resumed = await verifyLog(request)
    const whole = await verified(world)
    expect({ ...resumed, heads: whole.heads, resumed: null }).toEqual(whole)
    expect(whole.problems).toHaveLength(1)
    await store.close()
  })
})
