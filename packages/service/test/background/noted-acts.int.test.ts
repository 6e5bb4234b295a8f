import { actNotes, forgetActs } from '@tidings/administration'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'

type Noting = Parameters<ReturnType<typeof actNotes>>[0]

const [workspaceId, still] = [crypto.randomUUID(), crypto.randomUUID()]

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  await db.pool.query(
    `insert into ops.noted_act (workspace_id, place, at, actor, what, request_id)
     select w, lpad(n::text, 52, '0'), now() - interval '91 days', 'user:1', 'content', 'r' from unnest($1::uuid[]) w, generate_series(1, 30) n`,
    [[workspaceId, still]],
  )
})
afterAll(async () => {
  await db?.drop()
})

const left = async (of: string): Promise<number> =>
  (await db.pool.query('select 1 from ops.noted_act where workspace_id = $1', [of])).rowCount ?? 0

test('a note waits for no other that removes the same', async () => {
  const other = await db.pool.connect()
  await other.query('begin')
  await other.query('select 1 from ops.noted_act where workspace_id = $1 for update', [workspaceId])
  const request = { tenant: { workspaceId }, user: null, commandId: 'c', id: 'r', headers: {}, params: {} }
  await actNotes(db.pool)(request as unknown as Noting, { act: 'content', at: 'workspace', thing: null })
  expect(await left(workspaceId)).toBe(31)
  await other.query('rollback')
  other.release()
  await actNotes(db.pool)(request as unknown as Noting, { act: 'content', at: 'workspace', thing: null })
  expect(await left(workspaceId)).toBe(22)
  const takeBack = await actNotes(db.pool)(request as unknown as Noting, { act: 'discard', at: 'workspace', thing: null })
  await takeBack()
  const { rows } = await db.pool.query("select what from ops.noted_act where workspace_id = $1 and at > now() - interval '1 day'", [
    workspaceId,
  ])
  expect(rows).toEqual([{ what: 'content' }, { what: 'content' }])
})

test('those of a workspace that stands still end too', async () => {
  while ((await forgetActs(db.pool, 20)) > 0);
  expect(await left(still)).toBe(0)
  expect(await left(workspaceId)).toBe(2)
})
