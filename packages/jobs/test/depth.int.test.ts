import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { inboxDepth } from '../src/depth.ts'

let db: TestDatabase
beforeEach(async () => {
  await db?.drop()
  db = await testDatabase()
})
afterAll(() => db.drop())

/** Jobs of a kind, each in a lane of its own; every tenth is tried again. */
const insert = async (kind: string, count: number): Promise<void> => {
  await db.pool.query(
    `insert into inbox.job (kind, lane, seq, workspace_id, payload, attempt, due_at, admitted_at)
     select $1, n, n, gen_random_uuid(), 'p', case when n % 10 = 0 then 1 else 0 end, clock_timestamp(), clock_timestamp() - interval '90 seconds'
     from generate_series(1, $2::int) n`,
    [kind, count],
  )
}

it('is exact while few wait, kind by kind', async () => {
  await insert('a', 30)
  await insert('b', 7)
  const found = await inboxDepth(db.pool)
  expect(found.map(({ kind, waiting, retrying }) => [kind, waiting, retrying])).toEqual([
    ['a', 30, 3],
    ['b', 7, 0],
  ])
  for (const { oldestSeconds } of found) expect(oldestSeconds).toBeGreaterThanOrEqual(90)
})

it('is an estimate where many wait, beside exact ones of the others', async () => {
  await insert('many', 20_000)
  await insert('few', 20)
  await db.pool.query('analyze inbox.job')
  const [few, many] = await inboxDepth(db.pool, 1_000)
  expect([few?.waiting, few?.retrying]).toEqual([20, 2])
  expect(many?.waiting).toBeGreaterThan(18_000)
  expect(many?.waiting).toBeLessThan(22_000)
  expect(many?.retrying).toBeGreaterThanOrEqual(1_000)
})

it('reads no more rows of a long queue than of a short one', async () => {
  await insert('many', 20_000)
  const client = await db.pool.connect()
  const sofar = async () => {
    const { rows } = await client.query<{ read: number }>(
      `select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where schemaname = 'inbox' and relname = 'job'`,
    )
    return rows[0]?.read ?? 0
  }
  try {
    await client.query('begin')
    const before = await sofar()
    await client.query('select from inbox.depth(100)')
    expect((await sofar()) - before).toBeLessThan(500)
    await client.query('rollback')
  } finally {
    client.release()
  }
})
