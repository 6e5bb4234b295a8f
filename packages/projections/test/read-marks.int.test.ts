import { randomUUID } from 'node:crypto'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { listParked } from '../src/follow/parking.ts'
import { readMark, readMarks, rebuild } from '../src/index.ts'
import { accountsProjection } from './accounts.ts'
import { bankLog, deposited, forget, opened, run, until, untilAtHead, write } from './bank.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})
beforeEach(() => forget(database.pool))
afterAll(() => database.drop())

const mark = async (): Promise<string | null> => (await readMark(database.pool, 'accounts')).mark

test('a projection without tables has no mark, and is being counted', async () => {
  expect(await readMark(database.pool, 'accounts')).toEqual({ mark: null, state: 'counting' })
  expect(await readMarks(database.pool, ['accounts'])).toBeNull()
})

test('the mark stays while nothing is written, and changes with each write', async () => {
  const { pool } = database
  const log = bankLog()
  const id = randomUUID()
  await write(log, id, opened(id))
  const running = run({ pool, log })
  await untilAtHead(running, log)
  const before = await mark()
  expect(await mark()).toBe(before)
  await write(log, id, deposited(id, 1))
  await untilAtHead(running, log)
  expect(await mark()).not.toBe(before)
  await until(async () => (await readMark(pool, 'accounts')).state === 'current')
  await running.stop()
  expect((await readMark(pool, 'accounts')).state).toBe('behind')
})

test('a stream that is followed again changes the mark, though the position stays', async () => {
  const { pool } = database
  const log = bankLog()
  const id = randomUUID()
  let refuses = true
  const projection = {
    ...accountsProjection,
    fold: (...[event, rows]: Parameters<typeof accountsProjection.fold>) => {
      if (refuses && event.type === 'MoneyDeposited') throw new Error('not yet')
      accountsProjection.fold(event, rows)
    },
  }
  await write(log, id, opened(id), deposited(id, 1))
  const running = run({ pool, log, projection })
  await untilAtHead(running, log)
  expect(await listParked(pool, 'accounts')).toHaveLength(1)
  // What moves the checkpoint past the last events has come to rest.
  const position = async () => {
    const { rows } = await pool.query(`select position_commit from ops.projection_checkpoint where projection = 'accounts'`)
    return rows[0]?.position_commit
  }
  const head = (await log.head()).commit
  await until(async () => (await position()) === head)
  const before = await mark()
  refuses = false
  await pool.query('update ops.parked_stream set redrive_requested_at = clock_timestamp()')
  await until(async () => (await listParked(pool, 'accounts')).length === 0)
  expect(await position()).toBe(head)
  expect(await mark()).not.toBe(before)
  await running.stop()
})

test('a rebuild changes the mark', async () => {
  const { pool } = database
  const log = bankLog()
  const id = randomUUID()
  await write(log, id, opened(id))
  const running = run({ pool, log })
  await untilAtHead(running, log)
  await running.stop()
  const before = await mark()
  await rebuild({ projection: accountsProjection, log, pool })
  expect(await mark()).not.toBe(before)
})

test('what is asked in one turn is one statement, and a database that does not answer is no answer', async () => {
  const { pool } = database
  const query = vi.spyOn(pool, 'query')
  await Promise.all(Array.from({ length: 20 }, (_, n) => readMarks(pool, [`p${n % 4}`, 'accounts'])))
  expect(query).toHaveBeenCalledTimes(1)
  query.mockImplementation(() => Promise.reject(new Error('away')) as never)
  await expect(readMarks(pool, ['accounts'])).rejects.toThrow()
  query.mockRestore()
})
