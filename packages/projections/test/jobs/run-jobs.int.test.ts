import { randomUUID } from 'node:crypto'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { askForJob, diffProjection, lastJobs, type ProjectionJob, rebuildBeside, runProjectionJobs } from '../../src/index.ts'
import { accountsProjection } from '../accounts.ts'
import { bankLog, forget, opened, run, until, untilAtHead, write } from '../bank.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

beforeEach(async () => {
  await forget(database.pool)
  await database.pool.query('delete from ops.dashboard_job')
})

afterAll(() => database.drop())

const projection = 'accounts'
const ANN = '0192f0c1-0000-7000-8000-0000000000aa'
const ask = (act: ProjectionJob['act'], id = randomUUID()) => askForJob(database.pool, { id, projection, act, askedBy: 'operator:x' })
const lastJob = async (): Promise<ProjectionJob | undefined> => (await lastJobs(database.pool))[0]
const runner = (log = bankLog(), pool: Pool = database.pool) =>
  runProjectionJobs({ pool, log, projectionNamed: () => accountsProjection, onFault: () => undefined, everyMs: 20 })

test('what is asked for is done once, and one thing at a time with a projection', async () => {
  const { pool } = database
  const log = bankLog()
  await write(log, ANN, opened(ANN))
  const running = run({ pool, log })
  await untilAtHead(running, log)
  const id = randomUUID()
  expect([await ask('rebuild_beside', id), await ask('rebuild_beside', id), await ask('compare')]).toEqual([true, true, false])
  const [one, other] = [runner(log), runner(log)]
  await until(async () => (await lastJob())?.state === 'done')
  expect(await lastJob()).toMatchObject({ id, act: 'rebuild_beside', result: { parked: 0, tables: null }, error: null })
  expect(await ask('compare')).toBe(true)
  await until(async () => (await lastJob())?.act === 'compare' && (await lastJob())?.state === 'done')
  expect((await lastJob())?.result?.tables?.map(({ table, equal, different }) => [table, equal, different])).toEqual([
    ['accounts', 1, 0],
    ['account_totals', 1, 0],
  ])
  await Promise.all([one.stop(), other.stop(), running.stop()])
})

test('a job of a log without events has reached nothing of nothing', async () => {
  const log = bankLog()
  const running = run({ pool: database.pool, log })
  await untilAtHead(running, log)
  const jobs = runner(log)
  for (const act of ['rebuild_beside', 'swap'] as const) {
    await ask(act)
    await until(async () => (await lastJob())?.act === act && (await lastJob())?.endedAt !== null)
    expect(await lastJob()).toMatchObject({ state: 'done', done: 0, total: 0 })
  }
  await Promise.all([jobs.stop(), running.stop()])
})

test('what cannot be done says why, and the last twenty of a projection are kept', async () => {
  const jobs = runner()
  for (let n = 0; n < 22; n++) {
    const id = randomUUID()
    expect(await ask('swap_back', id)).toBe(true)
    await until(async () => (await lastJob())?.id === id && (await lastJob())?.endedAt !== null)
  }
  expect(await lastJob()).toMatchObject({ state: 'failed', error: expect.stringContaining('There is nothing to swap back') })
  const { rows } = await database.pool.query('select id from ops.dashboard_job')
  expect(rows).toHaveLength(20)
  await jobs.stop()
})

test('the job of a process that is gone is ended by the next, and can be asked for again', async () => {
  const log = bankLog()
  const running = run({ pool: database.pool, log })
  await untilAtHead(running, log)
  await ask('rebuild')
  await database.pool.query(`update ops.dashboard_job set state = 'running', alive_at = clock_timestamp() - interval '31 seconds'`)
  const jobs = runner(log)
  await until(async () => (await lastJob())?.state === 'interrupted')
  expect(await ask('rebuild')).toBe(true)
  await until(async () => (await lastJob())?.state === 'done')
  await Promise.all([jobs.stop(), running.stop()])
})

/** A pool that is not reached when the end of a job is noted for the first time. */
const awayAtFirstEnd = (pool: Pool): Pool => {
  let isAway = true
  return new Proxy(pool, {
    get: (target, name) => {
      const own: unknown = Reflect.get(target, name)
      if (typeof own !== 'function') return own
      return (...args: readonly unknown[]) => {
        if (name !== 'query' || !isAway || !String(args[0]).includes('set state = $2')) return Reflect.apply(own, target, args)
        isAway = false
        return Promise.reject(Object.assign(new Error('cut'), { code: 'ECONNRESET' }))
      }
    },
  })
}

test('what was done is noted as done, though the database is away at its end', async () => {
  const log = bankLog()
  const running = run({ pool: database.pool, log })
  await untilAtHead(running, log)
  await ask('rebuild_beside')
  const jobs = runner(log, awayAtFirstEnd(database.pool))
  await until(async () => (await lastJob())?.endedAt !== null)
  expect(await lastJob()).toMatchObject({ state: 'done', error: null })
  await Promise.all([jobs.stop(), running.stop()])
})

test('a comparison ends when its process is stopped', async () => {
  const { pool } = database
  const log = bankLog()
  await write(log, ANN, opened(ANN))
  const running = run({ pool, log })
  await untilAtHead(running, log)
  const beside = { projection: accountsProjection, log, pool }
  await rebuildBeside(beside)
  const compared = diffProjection({ ...beside, first: 0, values: false, signal: AbortSignal.abort(new Error('stopped')) })
  await expect(compared).rejects.toThrow('stopped')
  await running.stop()
})
