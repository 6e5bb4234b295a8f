import { redriveDeadLetter } from '@tidings/jobs'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkWaiting } from '../../src/doctor/waiting.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

const WORKSPACE = '0192b1f0-0000-7000-8000-00000000000a'
const letter = async (source: 'event' | 'job', consumer: string): Promise<string> => {
  const { rows } = await database.pool.query<Readonly<{ id: string }>>(
    `insert into ops.dead_letter (source, consumer, workspace_id, reference, lane, seq, payload, error_class, error)
     values ($1, $2, $3, $4, 1, 1, 'x', 'TypeError', 'no') returning id`,
    [source, consumer, WORKSPACE, crypto.randomUUID()],
  )
  return rows[0]?.id ?? ''
}

it('names the consumer of a dead letter that was tried again, once no process has taken it for a minute', async () => {
  const { pool } = database
  const id = await letter('event', 'retired')
  await pool.query(`update ops.dead_letter set last_seen_at = now() - interval '2 hours'`)
  await expect(checkWaiting({ pool })).resolves.toMatch(/^no dead letter/)
  expect(await redriveDeadLetter(pool, id)).toBe(true)
  await expect(checkWaiting({ pool })).resolves.toMatch(/^no dead letter/)
  await pool.query(`update ops.dead_letter set last_seen_at = now() - interval '2 minutes'`)
  await expect(checkWaiting({ pool })).rejects.toThrow('dead letters that were tried again wait for a process that has retired (1)')
  await pool.query('truncate ops.dead_letter')
})

it('names the kind of a job that was tried again and is due for long', async () => {
  const { pool } = database
  expect(await redriveDeadLetter(pool, await letter('job', 'retired-job'))).toBe(true)
  await expect(checkWaiting({ pool })).resolves.toMatch(/^no dead letter/)
  await pool.query(`update inbox.job set due_at = now() - interval '21 minutes' where kind = 'retired-job'`)
  await expect(checkWaiting({ pool })).rejects.toThrow(/^jobs wait for a process that has retired-job \(due for 21 min\)/)
})
