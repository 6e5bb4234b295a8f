import { asWorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admit } from '../src/admit.ts'
import { moveToDeadLetter, redriveDeadLetter } from '../src/dead-letters.ts'
import { inboxDepth } from '../src/depth.ts'
import type { Claimed } from '../src/settle-and-claim.ts'

const KIND = 'test'
const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a')

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

const claimed = async (): Promise<Claimed> => {
  const jobs = [{ workspaceId, lane: 'a', seq: 1n, payload: 'a1' }]
  const { claimed: all } = await transaction(db.pool, (tx) => admit(tx, KIND, jobs, { room: 1, leaseMs: 3_600_000, bundled: true }))
  const [job] = all
  if (job === undefined) throw new Error('nothing was claimed')
  return job
}
const WAITING = `select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`

test('who drives a dead letter again and who makes one of the same job, which was admitted again, do not wait for each other', async () => {
  const id = (await moveToDeadLetter(db.pool, KIND, { job: await claimed(), error: new Error('no') })) ?? ''
  const again = await claimed()
  const tx = await db.pool.connect()
  try {
    await tx.query('begin')
    await tx.query('select inbox.lock_kind($1)', [KIND])
    const driven = redriveDeadLetter(db.pool, id)
    await until(async () => expect((await db.pool.query(WAITING)).rowCount).toBe(1))
    const moved = await tx.query<{ id: string }>(`select inbox.move_to_dead_letter($1, $2, $3, $4, 'Error', 'no') as id`, [
      ...[KIND, again.lane, again.seq, again.token],
    ])
    await tx.query('commit')
    expect([moved.rows, await driven]).toEqual([[{ id }], true])
  } finally {
    tx.release(true)
  }
  expect(await inboxDepth(db.pool)).toMatchObject([{ kind: KIND, waiting: 1 }])
})
