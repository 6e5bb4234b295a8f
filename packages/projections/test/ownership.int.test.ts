import { randomUUID } from 'node:crypto'
import { LogWentBack } from '@tidings/event-store'
import { Fenced } from '@tidings/jobs'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { fence, readCheckpoint } from '../src/follow/checkpoint.ts'
import { projectionLeases } from '../src/follow/lease.ts'
import { applyBatch, startSession } from '../src/follow/session.ts'
import { listProjections, rebuild } from '../src/index.ts'
import { accountsProjection } from './accounts.ts'
import { balances, bankLog, deposited, forget, opened, run, until, untilAtHead, write } from './bank.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

beforeEach(() => forget(database.pool))

afterAll(() => database.drop())

test('an owner that another has replaced writes nothing', async () => {
  const { pool } = database
  const log = bankLog()
  const id = randomUUID()
  await write(log, id, opened(id))
  const first = run({ pool, log })
  await untilAtHead(first, log)
  await first.stop()

  const { epoch } = (await projectionLeases.acquire(pool, 'accounts', 'zombie'))!
  await fence(pool, 'accounts', epoch)
  const { position } = (await readCheckpoint(pool, 'accounts'))!
  const zombie = startSession({ projection: accountsProjection, pool, log, epoch, position, parked: [] })
  await pool.query(`update ops.projection_lease set expires_at = clock_timestamp() - interval '1 second'`)
  await fence(pool, 'accounts', (await projectionLeases.acquire(pool, 'accounts', 'heir'))!.epoch)

  await write(log, id, deposited(id, 7))
  const batch = await log.readAll(position, 10)
  await expect(applyBatch(zombie, batch)).rejects.toBeInstanceOf(Fenced)
  expect(await balances(pool)).toEqual({ accounts: [`${id} 0 0`], total: 1n })
  expect((await readCheckpoint(pool, 'accounts'))?.position).toEqual(position)
})

test('one of two processes owns the projection; the other takes over when it stops', async () => {
  const { pool } = database
  const log = bankLog()
  const id = randomUUID()
  await write(log, id, opened(id))
  const one = run({ pool, log, owner: 'one' })
  await untilAtHead(one, log)
  const two = run({ pool, log, owner: 'two' })
  await until(() => two.progress.of('accounts')?.state === 'waiting')
  await one.stop()
  await write(log, id, deposited(id, 3))
  await untilAtHead(two, log)
  expect(await balances(pool)).toEqual({ accounts: [`${id} 3 1`], total: 1n })
  await two.stop()
})

test('an owner stops when its beat, too, has written what it writes', async () => {
  const { pool } = database
  const beaten = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const order: string[] = []
  const slow = new Proxy(pool, {
    get: (target, key) => {
      if (key !== 'query') return Reflect.get(target, key)
      return async (...query: Parameters<typeof pool.query>) => {
        if (!(query[0] as Readonly<{ name?: string }>).name?.startsWith('projection beats')) return await target.query(...query)
        beaten.resolve()
        await held.promise
        const answer = await target.query(...query)
        order.push('beat')
        return answer
      }
    },
  })
  const owner = run({ pool: slow, log: bankLog() })
  await beaten.promise
  const stopped = owner.stop().then(() => order.push('stopped'))
  setTimeout(held.resolve, 300)
  await stopped
  expect(order).toEqual(['beat', 'stopped'])
})

test.each([
  ['does not answer', () => new Promise<never>(() => undefined)],
  ['went back', () => Promise.reject(new LogWentBack('the log went back'))],
])('a log that %s does not cost the lease; how far the owner is behind is not known then', async (_, answer) => {
  const { pool } = database
  const log = bankLog()
  let asked = false
  const head = () => {
    asked = true
    return answer()
  }
  const away = { is: false }
  const subscribe = async function* (options: Parameters<typeof log.subscribe>[0]) {
    for await (const batch of log.subscribe(options)) if (!away.is) yield batch
  }
  const owner = run({ pool, log: { ...log, subscribe, head: () => (away.is ? head() : log.head()) }, owner: 'owner' })
  await untilAtHead(owner, log)
  away.is = true
  await until(() => asked)
  const expiry = async () =>
    (await pool.query<{ at: Date }>('select expires_at as at from ops.projection_lease')).rows[0]?.at.getTime() ?? 0
  const before = await expiry()
  await until(async () => (await expiry()) > before)
  await until(() => owner.progress.of('accounts')?.lagSeconds === null)
  expect(owner.progress.of('accounts')?.state).toBe('live')
  await owner.stop()
})

test('an owner that died without a word is replaced when its lease has run out, not before', async () => {
  const { pool } = database
  const log = bankLog()
  await projectionLeases.acquire(pool, 'accounts', 'dead')
  const heir = run({ pool, log })
  await until(() => heir.progress.of('accounts')?.state === 'waiting')
  await pool.query('update ops.projection_lease set expires_at = clock_timestamp()')
  await until(() => heir.progress.of('accounts')?.state === 'live')
  await heir.stop()
})

test('the list says who runs a projection, how far it is and when no owner is alive', async () => {
  const { pool } = database
  const log = bankLog()
  const id = randomUUID()
  await write(log, id, opened(id))
  const running = run({ pool, log, owner: 'me' })
  await untilAtHead(running, log)
  await until(async () => (await listProjections(pool, log))[0]?.owner === 'me')
  const head = await log.head()
  await expect
    .poll(() => listProjections(pool, log))
    .toMatchObject([
      { name: 'accounts', version: 1, state: 'live', position: head, head, lagEvents: 0n, lagSeconds: 0, failure: null, parkedStreams: 0 },
    ])
  await running.stop()
  await write(log, id, deposited(id, 1), deposited(id, 2))
  expect(await listProjections(pool, log)).toMatchObject([{ state: 'stopped', position: head, lagEvents: 2n }])
  await pool.query(`update ops.projection_status set state = 'live', heartbeat_at = clock_timestamp() - interval '1 minute'`)
  expect(await listProjections(pool, log)).toMatchObject([{ state: 'silent' }])
})

test('tables that are ahead of the log are not taken for being up to date; a rebuild goes by the log', async () => {
  const { pool } = database
  const log = bankLog()
  const id = randomUUID()
  await write(log, id, opened(id), deposited(id, 1))
  const first = run({ pool, log })
  await untilAtHead(first, log)
  await first.stop()

  const older = bankLog()
  await write(older, id, opened(id))
  const second = run({ pool, log: older })
  await until(() => second.progress.of('accounts')?.state === 'failed')
  expect(second.progress.of('accounts')?.failure).toMatchObject({ kind: 'AheadOfLog', message: expect.stringContaining('Rebuild') })
  await second.stop()
  await rebuild({ projection: accountsProjection, log: older, pool })
  expect(await balances(pool)).toEqual({ accounts: [`${id} 0 0`], total: 1n })
})

test('tables that a crash of Postgres took back are brought up to the log again, also where nothing more is written', async () => {
  const { pool } = database
  const log = bankLog()
  const id = randomUUID()
  await write(log, id, opened(id))
  const running = run({ pool, log })
  await untilAtHead(running, log)
  const before = (await readCheckpoint(pool, 'accounts'))!
  await write(log, id, deposited(id, 7))
  await untilAtHead(running, log)
  expect((await balances(pool)).accounts).toEqual([`${id} 7 1`])
  await pool.query('update ops.projection_checkpoint set position_commit = $1, position_prepare = $2', [
    before.position.commit,
    before.position.prepare,
  ])
  await pool.query('update read.accounts set balance = 0, deposits = 0')
  await until(async () => (await balances(pool)).accounts[0] === `${id} 7 1`)
  await running.stop()
})
