import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { noticeSql, type Owner, readNotice } from '../../src/sql/notice.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

test('a notification is read by who reads the lease, and by no other', async () => {
  const lease = { owner: crypto.randomUUID(), epoch: 7n }
  await db.pool.query('insert into ops.projection_lease (projection, owner, epoch, expires_at) values ($1, $2, $3, now())', [
    'seals',
    lease.owner,
    lease.epoch,
  ])
  const { rows } = await db.pool.query<{ said: string }>(`select ${noticeSql("'seals'::text", '12::bigint', '-3::bigint')} as said`)
  const said = rows[0]?.said ?? ''
  const read = (payload: string, owner: Owner | null = lease) =>
    readNotice(payload, (projection) => (projection === 'seals' ? owner : null))
  expect(read(said)).toEqual({ projection: 'seals', position: { commit: 12n, prepare: -3n } })
  const others = [null, { ...lease, owner: crypto.randomUUID() }, { ...lease, epoch: 8n }]
  for (const owner of others) expect(read(said, owner)).toBeNull()
  for (const forged of [
    said.replace('12', '13'),
    said.replace('seals', 'other'),
    said.slice(0, -1),
    said.split(' ').slice(0, 3).join(' '),
    '',
    'x',
  ])
    expect(read(forged)).toBeNull()
})
