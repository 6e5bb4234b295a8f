import { asWorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { admit } from '../src/admit.ts'
import {
  deadLetterGroups,
  discardDeadLetter,
  forgetDeadLetters,
  listDeadLetters,
  pageOfDeadLetters,
  redriveDeadLetter,
  showDeadLetter,
} from '../src/dead-letters.ts'
import { inboxDepth, openDeadLetters } from '../src/depth.ts'
import { Unrecoverable } from '../src/job.ts'
import { type RunningLanes, runLanes } from '../src/run-lanes.ts'

const KIND = 'test'
const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a')

let db: TestDatabase
let broken = true
let lanes: RunningLanes
const seen: string[] = []
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(async () => {
  broken = true
  seen.length = 0
  await db.pool.query('truncate inbox.job, ops.dead_letter')
  const work = async ({ payload }: { payload: string }) => {
    if (payload === 'bad' && broken) throw new TypeError('cannot be')
    if (payload === 'strange') throw new Error('somebody said \0 and \ud800')
    seen.push(payload)
    return 'done' as const
  }
  lanes = runLanes({ pool: db.pool, kind: KIND, pollMs: 20, faultDelaysMs: [1, 1], work })
})
afterEach(() => lanes.stop())

const job = (seq: number, payload: string) => ({ workspaceId, lane: 'a', seq: BigInt(seq), payload })
const deadLetter = async () => {
  await transaction(db.pool, (tx) => admit(tx, KIND, [job(1, 'bad'), job(2, 'good')]))
  await until(async () => expect(await listDeadLetters(db.pool)).toHaveLength(1))
  const [letter] = await listDeadLetters(db.pool)
  if (letter === undefined) throw new Error('there is no dead letter')
  return letter
}

test('a job that keeps failing is set aside after its tries, with what was wrong, and its lane goes on', async () => {
  const letter = await deadLetter()
  expect(letter).toMatchObject({
    source: 'job',
    consumer: KIND,
    workspaceId,
    payload: 'bad',
    errorClass: 'TypeError',
    error: 'cannot be',
    attempts: 3,
  })
  await until(() => expect(seen).toEqual(['good']))
  await until(async () => expect(await inboxDepth(db.pool)).toEqual([]))
  expect(await openDeadLetters(db.pool)).toEqual([{ consumer: KIND, open: 1 }])
  expect(await deadLetterGroups(db.pool, 10)).toEqual([{ consumer: KIND, workspaceId, letters: 1, oldest: letter.firstSeenAt }])
  expect(await showDeadLetter(db.pool, letter.id)).toEqual(letter)
})

test('an error whose words Postgres cannot store stops no other job: it becomes a dead letter, without those characters', async () => {
  await transaction(db.pool, (tx) => admit(tx, KIND, [job(1, 'strange'), job(2, 'good')]))
  await until(async () => expect(await listDeadLetters(db.pool)).toHaveLength(1))
  expect(await listDeadLetters(db.pool)).toMatchObject([{ payload: 'strange', error: 'somebody said   and \ufffd' }])
  await until(() => expect(seen).toEqual(['good']))
})

test('once mended it can be driven again, and is done then', async () => {
  const { id } = await deadLetter()
  broken = false
  expect(await redriveDeadLetter(db.pool, id)).toBe(true)
  await until(() => expect(seen).toContain('bad'))
  expect((await showDeadLetter(db.pool, id))?.state).toBe('redriven')
  expect(await redriveDeadLetter(db.pool, id)).toBe(false)
})

test('driven again without being mended it comes back with its attempts added up', async () => {
  const { id } = await deadLetter()
  await redriveDeadLetter(db.pool, id)
  await until(async () => expect(await showDeadLetter(db.pool, id)).toMatchObject({ state: 'open', attempts: 6 }))
})

test('it can be given up with a reason, and is forgotten after its time', async () => {
  const { id } = await deadLetter()
  expect(await discardDeadLetter(db.pool, id, 'not worth it')).toBe(true)
  expect(await listDeadLetters(db.pool)).toEqual([])
  expect(await showDeadLetter(db.pool, id)).toMatchObject({ state: 'discarded', note: 'not worth it' })
  expect(await forgetDeadLetters(db.pool, 30)).toBe(0)
  await db.pool.query(`update ops.dead_letter set last_seen_at = now() - interval '31 days'`)
  expect(await forgetDeadLetters(db.pool, 30)).toBe(1)
})

test('a workspace sees its own, and an unknown id is nothing', async () => {
  const { id } = await deadLetter()
  expect((await listDeadLetters(db.pool, { workspaceId })).map((letter) => letter.id)).toEqual([id])
  expect(await listDeadLetters(db.pool, { workspaceId: asWorkspaceId('0192b1f0-0000-7000-8000-00000000000b') })).toEqual([])
  expect(await discardDeadLetter(db.pool, workspaceId, '')).toBe(false)
})

test('what another try would harm is not tried again though it cannot be set aside for a moment', async () => {
  let failures = 1
  const query = async (...args: unknown[]): Promise<unknown> => {
    if (String(args[0]).includes('inbox.move_to_dead_letter') && failures-- > 0) throw new Error('the database is away')
    return await (db.pool.query as (...args: unknown[]) => Promise<unknown>).apply(db.pool, args)
  }
  await lanes.stop()
  let tries = 0
  const pool = Object.assign(Object.create(db.pool) as Pool, { query })
  const work = async () => {
    tries++
    throw new Unrecoverable('sent, and that cannot be recorded')
  }
  lanes = runLanes({ pool, kind: KIND, work, pollMs: 20, faultDelaysMs: [10] })
  await transaction(db.pool, (tx) => admit(tx, KIND, [{ workspaceId, lane: 'harm', seq: 1n, payload: 'harm' }]))
  await until(async () => expect(await listDeadLetters(db.pool)).toMatchObject([{ payload: 'harm' }]))
  expect(tries).toBe(1)
})

describe('a deep page begins where the one before it ended', () => {
  const others = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000b')
  const COUNT = 20_000
  beforeEach(async () => {
    await db.pool.query(
      `insert into ops.dead_letter (source, consumer, workspace_id, reference, error_class, error, last_seen_at)
       select 'event', 'retired', case n % 40 when 0 then $1::uuid else $2 end, n::text, 'TypeError', 'no', now() - n * interval '1 second'
       from generate_series(1, $3::int) n`,
      [workspaceId, others, COUNT],
    )
    await db.pool.query('analyze ops.dead_letter')
  })
  afterEach(() => db.pool.query('truncate ops.dead_letter'))

  const placeOf = async (reference: number): Promise<string> => {
    const { rows } = await db.pool.query<{ place: string }>(
      `select (extract(epoch from last_seen_at) * 1000000)::bigint || ' ' || id as place from ops.dead_letter where reference = $1`,
      [String(reference)],
    )
    return rows[0]?.place ?? ''
  }
  /** A page behind that letter, and how many rows were looked at for it. */
  const page = async (of: typeof workspaceId | null, behind: number) => {
    let looked = 0
    const explaining = {
      query: async (text: string, values: unknown[]) => {
        const { rows } = await db.pool.query(`explain (analyze, format json) ${text}`, values)
        looked += lookedAt(rows[0]['QUERY PLAN'][0].Plan)
        return db.pool.query(text, values)
      },
    } as unknown as Pool
    const letters = await pageOfDeadLetters(explaining, { workspaceId: of, consumer: null, after: await placeOf(behind), limit: 50 })
    return { references: letters.map(({ reference }) => Number(reference)), looked }
  }

  test('of all workspaces, however many are newer', async () => {
    // The letter of the place itself is looked at.
    expect(await page(null, 19_000)).toEqual({ references: Array.from({ length: 50 }, (_, n) => 19_001 + n), looked: 51 })
  })

  test('of one, however many it has, and others have', async () => {
    expect(await page(workspaceId, 10_000)).toEqual({ references: Array.from({ length: 50 }, (_, n) => 10_040 + 40 * n), looked: 51 })
  })
})

type Plan = Readonly<{ 'Actual Rows': number; 'Rows Removed by Filter'?: number; Plans?: readonly Plan[] }>
const lookedAt = ({ 'Actual Rows': found, 'Rows Removed by Filter': removed = 0, Plans: inner }: Plan): number =>
  inner === undefined ? found + removed : inner.reduce((sum, plan) => sum + lookedAt(plan), 0)
