import { randomUUID } from 'node:crypto'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createProgress, type ReadSide, readSide, rebuild } from '../src/index.ts'
import { accountsProjection, REFUSED_BY_FOLD } from './accounts.ts'
import { accountStream, bankLog, deposited, forget, opened, run, until, write } from './bank.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

beforeEach(() => forget(database.pool))

afterAll(() => database.drop())

const shown = async (id: string): Promise<string | undefined> =>
  (await database.pool.query<{ balance: bigint }>('select balance from read.accounts where id = $1', [id])).rows[0]?.balance.toString()

/** Waits as long as any machine needs, for an owner that may stand still. */
const LONG = { timeoutMs: 60_000, staleMs: 600_000 }

/** A running projection, and the read sides of its own process and of another. */
const started = async (changes: Readonly<{ maxWaiting?: number; timeoutMs?: number }> = {}) => {
  const settings = { ...LONG, ...changes }
  const { pool } = database
  const log = bankLog()
  const running = run({ pool, log })
  const here = readSide({ pool, progress: running.progress, ...settings })
  const elsewhere = readSide({ pool, ...settings })
  await until(() => running.progress.of('accounts')?.state === 'live')
  // The other process goes by the status row, which the first beat writes.
  await until(async () => (await pool.query(`select 1 from ops.projection_status where state = 'live'`)).rowCount === 1)
  const stop = async () => {
    await Promise.all([here.close(), elsewhere.close()])
    await running.stop()
  }
  return { pool, log, running, here, elsewhere, stop }
}

test.each(['here', 'elsewhere'] as const)('what was written is readable after the wait, with the projection running %s', async (place) => {
  const { log, stop, ...sides } = await started()
  const id = randomUUID()
  await write(log, id, opened(id))
  for (let n = 1; n <= 20; n++) {
    const position = await write(log, id, deposited(id, 1))
    expect(await sides[place].wait(position, ['accounts'], { stream: accountStream(id) })).toBe('visible')
    expect(await shown(id)).toBe(String(n))
  }
  await stop()
})

test('many waits at once are all answered, and none is left behind', async () => {
  const { log, stop, here, elsewhere } = await started()
  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const id = randomUUID()
      return (n % 2 === 0 ? here : elsewhere).wait(await write(log, id, opened(id)), ['accounts'])
    }),
  )
  expect(new Set(answers)).toEqual(new Set(['visible']))
  expect([here.waiting(), elsewhere.waiting()]).toEqual([0, 0])
  await stop()
})

test('a position that was reached long ago, and a command that wrote nothing, need no waiting', async () => {
  const { log, stop, here } = await started()
  const id = randomUUID()
  const first = await write(log, id, opened(id))
  expect(await here.wait(await write(log, id, deposited(id, 1)), ['accounts'])).toBe('visible')
  expect(await here.wait(first, ['accounts'])).toBe('visible')
  expect(await here.wait(null, ['accounts'])).toBe('visible')
  await stop()
})

test('a position that no owner notified is not believed, and the next wait is as before', async () => {
  const { pool, log, stop, elsewhere } = await started({ timeoutMs: 300 })
  const id = randomUUID()
  const position = await write(log, id, opened(id))
  await until(async () => (await elsewhere.wait(position, ['accounts'])) === 'visible')
  const ahead = { commit: position.commit + 1_000n, prepare: position.prepare }
  const said = `accounts ${ahead.commit} ${ahead.prepare}`
  const waiting = elsewhere.wait(ahead, ['accounts'])
  for (const payload of [said, `${said} ${'0'.repeat(64)}`, `${said} `])
    await pool.query("select pg_notify('tidings_projection', $1)", [payload])
  expect(await waiting).toBe('pending')
  expect(await elsewhere.wait(ahead, ['accounts'])).toBe('pending')
  const next = await write(log, id, deposited(id, 1))
  await until(async () => (await elsewhere.wait(next, ['accounts'])) === 'visible')
  await stop()
})

test('a position that a rebuild from an older log has taken back is not believed', async () => {
  const { pool, log, running, stop, elsewhere } = await started({ timeoutMs: 300 })
  const id = randomUUID()
  await write(log, id, opened(id))
  const position = await write(log, id, deposited(id, 1))
  await until(async () => (await elsewhere.wait(position, ['accounts'])) === 'visible')
  await running.stop()
  const older = bankLog()
  await write(older, id, opened(id))
  await rebuild({ projection: accountsProjection, log: older, pool })
  await until(async () => (await elsewhere.wait(position, ['accounts'])) === 'pending')
  await stop()
})

test('a position that was taken back while the channel was not heard is not believed once it is heard again', async () => {
  const { pool, log, running, stop, elsewhere } = await started({ timeoutMs: 300 })
  const id = randomUUID()
  const position = await write(log, id, opened(id))
  await until(async () => (await elsewhere.wait(position, ['accounts'])) === 'visible')
  const heard = `from pg_stat_activity where datname = current_database() and query like 'listen %tidings_projection%'`
  await until(async () => (await pool.query(`select 1 ${heard}`)).rowCount === 1)
  await running.stop()
  await pool.query('update ops.projection_checkpoint set position_commit = 0, position_prepare = 0')
  await pool.query(`select pg_terminate_backend(pid) ${heard}`)
  await until(async () => (await elsewhere.wait(position, ['accounts'])) === 'pending')
  await stop()
})

test('a position that is taken back is not believed either where no wait had to last', async () => {
  const { pool, log, running, stop, here, elsewhere } = await started({ timeoutMs: 300 })
  const id = randomUUID()
  await write(log, id, opened(id))
  const position = await write(log, id, deposited(id, 1))
  await until(async () => (await here.wait(position, ['accounts'])) === 'visible')
  // It is reached: the first look at the database is the answer.
  await until(async () => (await elsewhere.wait(position, ['accounts'])) === 'visible')
  await running.stop()
  const older = bankLog()
  await write(older, id, opened(id))
  await rebuild({ projection: accountsProjection, log: older, pool })
  await until(async () => (await elsewhere.wait(position, ['accounts'])) === 'pending')
  await stop()
})

test('an event that does not concern the projection is passed too', async () => {
  const { log, stop, here, elsewhere } = await started()
  const position = await write(log, randomUUID(), { type: 'SomethingElse', data: {} })
  expect(await Promise.all([here, elsewhere].map((side) => side.wait(position, ['accounts'])))).toEqual(['visible', 'visible'])
  await stop()
})

test('a projection that is stuck is waited for up to the limit, then the answer is pending', async () => {
  const { pool, log, stop, here, elsewhere } = await started({ timeoutMs: 150 })
  const blocker = await pool.connect()
  await blocker.query('begin; select 1 from ops.projection_checkpoint for update')
  const id = randomUUID()
  const position = await write(log, id, opened(id))
  const answers = [here, elsewhere].map((side) => side.wait(position, ['accounts']))
  expect(await Promise.all(answers)).toEqual(['pending', 'pending'])
  expect([here.waiting(), elsewhere.waiting()]).toEqual([0, 0])
  await blocker.query('rollback')
  blocker.release()
  await expect.poll(() => here.wait(position, ['accounts'])).toBe('visible')
  await stop()
})

/** A read side that would wait for ever: an answer means that it did not wait. */
const patient = { timeoutMs: 2_147_483_647 }

test('no request waits for a projection that does not run, or that is unknown', async () => {
  const { pool, log, running, stop } = await started()
  await stop()
  const id = randomUUID()
  const position = await write(log, id, opened(id))
  const sides: readonly ReadSide[] = [readSide({ pool, progress: running.progress, ...patient }), readSide({ pool, ...patient })]
  for (const side of sides) {
    expect(await side.wait(position, ['accounts'])).toBe('pending')
    expect(await side.wait(position, ['unheard_of'])).toBe('pending')
    await side.close()
  }
})

test('no request waits for a projection whose owner has gone silent', async () => {
  const { pool } = database
  const progress = createProgress()
  progress.report('accounts', { state: 'live', position: { commit: 1n, prepare: 0n }, heardAt: performance.now() - 3_001 })
  const side = readSide({ pool, progress, ...patient })
  expect(await side.wait({ commit: 2n, prepare: 0n }, ['accounts'])).toBe('pending')
  await side.close()
})

test('no request waits for a stream that is parked', async () => {
  const { pool, log, running, stop } = await started()
  const id = randomUUID()
  const stream = accountStream(id)
  const waiting = { ...patient, staleMs: LONG.staleMs }
  const sides: readonly ReadSide[] = [readSide({ pool, progress: running.progress, ...waiting }), readSide({ pool, ...waiting })]
  const poison = await write(log, id, opened(id), deposited(id, REFUSED_BY_FOLD))
  await until(() => running.progress.of('accounts')?.parked.has(stream) === true)
  for (const side of sides) {
    expect(await side.wait(poison, ['accounts'], { stream })).toBe('pending')
    expect(await side.wait(poison, ['accounts'])).toBe('visible')
    expect(await side.wait(await write(log, id, deposited(id, 1)), ['accounts'], { stream })).toBe('pending')
    await side.close()
  }
  await stop()
})

test('when too many wait already, the next gets pending at once', async () => {
  const { pool } = database
  const progress = createProgress()
  progress.report('accounts', { state: 'live', position: { commit: 1n, prepare: 0n }, heardAt: performance.now() })
  const side = readSide({ pool, progress, ...patient, staleMs: LONG.staleMs, maxWaiting: 2 })
  const position = { commit: 2n, prepare: 0n }
  const waiting = [side.wait(position, ['accounts']), side.wait(position, ['accounts'])]
  expect(await side.wait(position, ['accounts'])).toBe('pending')
  progress.report('accounts', { position })
  expect(await Promise.all(waiting)).toEqual(['visible', 'visible'])
  await side.close()
})

test('a database that cannot be asked makes the answer pending, never an error', async () => {
  const { pool } = database
  const broken = Object.assign(Object.create(pool), { query: () => Promise.reject(new Error('no connection')) })
  const side = readSide({ pool: broken, ...patient })
  expect(await side.wait({ commit: 2n, prepare: 0n }, ['accounts'])).toBe('pending')
  await side.close()
})
