import { asWorkspaceId } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { keyUsage } from '../../src/auth/key-usage.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

const workspaceId = asWorkspaceId('0192f0c0-0000-7000-8000-000000000001')
const [one, two] = ['0192f0c0-0000-7000-8000-0000000000a1', '0192f0c0-0000-7000-8000-0000000000a2'] as const
const stored = async () => {
  const { rows } = await db.pool.query<{ key_id: string; last_used_at: Date }>('select * from ops.api_key_usage order by key_id')
  return rows
}

it('writes what was stamped, one row a key, and never goes back in time', async () => {
  const errors: unknown[] = []
  const usage = keyUsage(db.pool, (error) => errors.push(error))
  usage.stamp({ keyId: one, workspaceId })
  usage.stamp({ keyId: one, workspaceId })
  usage.stamp({ keyId: two, workspaceId })
  await usage.flush()
  expect((await stored()).map((row) => row.key_id)).toEqual([one, two])
  await db.pool.query(`update ops.api_key_usage set last_used_at = '2999-01-01' where key_id = $1`, [one])
  usage.stamp({ keyId: one, workspaceId })
  usage.stamp({ keyId: two, workspaceId })
  await usage.close()
  expect((await stored())[0]?.last_used_at.getUTCFullYear()).toBe(2999)
  expect(errors).toEqual([])
})

it('keeps what could not be written for the next time', async () => {
  const errors: unknown[] = []
  const usage = keyUsage(db.pool, (error) => errors.push(error))
  await db.pool.query('alter table ops.api_key_usage rename to elsewhere')
  usage.stamp({ keyId: '0192f0c0-0000-7000-8000-0000000000a3', workspaceId })
  await usage.flush()
  await db.pool.query('alter table ops.elsewhere rename to api_key_usage')
  // It tries again by itself.
  expect(errors.length).toBeGreaterThan(0)
  await usage.close()
  expect(await stored()).toHaveLength(3)
})

it('writes by itself soon, also what it could not write the first time', async () => {
  const errors: unknown[] = []
  const usage = keyUsage(db.pool, (error) => errors.push(error))
  await db.pool.query('alter table ops.api_key_usage rename to elsewhere')
  usage.stamp({ keyId: '0192f0c0-0000-7000-8000-0000000000a4', workspaceId })
  await expect.poll(() => errors.length).toBeGreaterThan(0)
  await db.pool.query('alter table ops.elsewhere rename to api_key_usage')
  await expect.poll(stored).toHaveLength(4)
  await usage.close()
})
