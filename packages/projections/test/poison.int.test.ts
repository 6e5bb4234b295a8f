import { randomUUID } from 'node:crypto'
import { createEventLog, type EventLog, memoryKeyRing, SubjectKeyMissing } from '@tidings/codec'
import { asWorkspaceId } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { redrive as askToRedrive, listParked, rebuild } from '../src/index.ts'
import { accountDeclarations, mendedProjection, REFUSED_BY_FOLD, REFUSED_BY_POSTGRES, stoppingProjection } from './accounts.ts'
import { accountStream, balances, bankLog, deposited, forget, opened, run, until, untilAtHead, write } from './bank.ts'

let database: TestDatabase

/** The owner may stand still for some seconds, and have to take its lease again. */
const redrive = (id: string) => askToRedrive(database.pool, { projection: 'accounts', stream: accountStream(id) }, 60_000)

beforeAll(async () => {
  database = await testDatabase()
})

beforeEach(() => forget(database.pool))

afterAll(() => database.drop())

test.each([
  ['the fold', REFUSED_BY_FOLD],
  ['Postgres', REFUSED_BY_POSTGRES],
])('an event that %s refuses parks its own stream and nothing else', async (_, amount) => {
  const { pool } = database
  const log = bankLog()
  const [good, bad, late] = [randomUUID(), randomUUID(), randomUUID()].sort() as [string, string, string]
  for (const id of [good, bad]) await write(log, id, opened(id))
  for (let n = 0; n < 5; n++) await write(log, good, deposited(good, 1))
  await write(log, bad, deposited(bad, 1))
  await write(log, bad, deposited(bad, amount))
  await write(log, late, opened(late))
  await write(log, bad, deposited(bad, 2))
  await write(log, good, deposited(good, 1))
  const running = run({ pool, log })
  await untilAtHead(running, log)
  await running.stop()

  expect(await balances(pool)).toEqual({ accounts: [`${good} 6 6`, `${bad} 1 1`, `${late} 0 0`], total: 3n })
  expect(await listParked(pool, 'accounts')).toMatchObject([{ stream: accountStream(bad), revision: 2, eventType: 'MoneyDeposited' }])
})

test('a parked stream stays parked over a restart, and a mended fold catches up with it when it is re-driven', async () => {
  const { pool } = database
  const log = bankLog()
  const bad = randomUUID()
  await write(log, bad, opened(bad), deposited(bad, REFUSED_BY_FOLD), deposited(bad, 4))
  const broken = run({ pool, log })
  await untilAtHead(broken, log)
  expect(await redrive(bad)).toEqual({ redriven: false, error: 'no such amount' })
  await broken.stop()

  const mended = run({ pool, log, projection: mendedProjection })
  await until(() => mended.progress.of('accounts')?.state === 'live')
  expect(mended.progress.of('accounts')?.parked).toEqual(new Set([accountStream(bad)]))
  expect(await redrive(bad)).toEqual({ redriven: true, error: null })
  expect(await listParked(pool)).toEqual([])
  await mended.stop()
})

test('a parked stream that holds an event of another workspace stays parked', async () => {
  const { pool } = database
  const log = bankLog()
  const bad = asWorkspaceId(randomUUID())
  await write(log, bad, opened(bad), deposited(bad, REFUSED_BY_FOLD))
  const context = { commandId: randomUUID(), workspaceId: bad, actor: 'test', requestId: 'test', at: '2026-01-01T00:00:00.000Z' }
  await log.append(accountStream(bad), 'any', [deposited(bad, 4)], context)
  const broken = run({ pool, log })
  await untilAtHead(broken, log)
  expect(await redrive(bad)).toEqual({
    redriven: false,
    error: `stream ${accountStream(bad)} holds an event of another workspace`,
  })
  await broken.stop()
})

test('a re-drive applies what the stream missed and follows it again', async () => {
  const { pool } = database
  const log = bankLog()
  const [bad, other] = [randomUUID(), randomUUID()]
  await write(log, bad, opened(bad), deposited(bad, 1))
  await write(log, other, opened(other))
  const running = run({ pool, log })
  await untilAtHead(running, log)
  // An earlier deployment would have left this: the deposit refused, the row without it.
  await running.stop()
  await pool.query(`update read.accounts set balance = 0, deposits = 0, last_commit = 0 where id = $1`, [bad])
  await pool.query(
    `insert into ops.parked_stream select 'accounts', $1, 1, 1, 0, $2, 'MoneyDeposited', workspace_id, 'refused once' from read.accounts where id = $3`,
    [accountStream(bad), randomUUID(), bad],
  )
  const again = run({ pool, log })
  await until(() => again.progress.of('accounts')?.state === 'live')
  await write(log, bad, deposited(bad, 10))
  await untilAtHead(again, log)
  await redrive(bad)
  await write(log, bad, deposited(bad, 100))
  await untilAtHead(again, log)
  await again.stop()
  expect((await balances(pool)).accounts).toContain(`${bad} 111 3`)
})

test('a re-drive of a stream that cannot be read says why, and the projection goes on', async () => {
  const { pool } = database
  const log = bankLog()
  const [bad, other] = [randomUUID(), randomUUID()]
  await write(log, bad, opened(bad), deposited(bad, REFUSED_BY_FOLD))
  const readStream: EventLog['readStream'] = () =>
    Promise.reject(new SubjectKeyMissing({ workspaceId: asWorkspaceId('w'), subject: 'contact:1' }))
  const running = run({ pool, log: { ...log, readStream } })
  await untilAtHead(running, log)
  const answer = await redrive(bad)
  expect(answer).toEqual({ redriven: false, error: expect.stringContaining('the key of contact:1 of workspace w is missing') })
  await write(log, other, opened(other))
  await untilAtHead(running, log)
  expect(running.progress.of('accounts')?.state).toBe('live')
  await running.stop()
  expect((await balances(pool)).accounts).toContain(`${other} 0 0`)
})

test('a projection of money stops at what it cannot apply, and says where', async () => {
  const { pool } = database
  const log = bankLog()
  const id = randomUUID()
  await write(log, id, opened(id), deposited(id, REFUSED_BY_FOLD), deposited(id, 1))
  const running = run({ pool, log, projection: stoppingProjection, maxBatch: 1 })
  await until(() => running.progress.of('accounts')?.state === 'failed')
  const { rows } = await pool.query(`select state, failure->>'kind' as kind, failure->>'message' as message from ops.projection_status`)
  expect(rows).toMatchObject([
    { state: 'failed', kind: 'PoisonEvent', message: expect.stringContaining('MoneyDeposited at 2 in account-') },
  ])
  expect(await balances(pool)).toEqual({ accounts: [`${id} 0 0`], total: 1n })
  await running.stop()
})

test('an event type that this build does not know stops the projection, after all that came before it', async () => {
  const { pool } = database
  const store = memoryEventStore()
  const keyRing = memoryKeyRing()
  const newer = createEventLog({ store, declarations: { ...accountDeclarations, FromTheFuture: { version: 1 } }, upcasters: [], keyRing })
  const log = createEventLog({ store, declarations: accountDeclarations, upcasters: [], keyRing })
  const id = asWorkspaceId(randomUUID())
  await write(log, id, opened(id), deposited(id, 2))
  const context = { commandId: randomUUID(), workspaceId: id, actor: 'test', requestId: 'test', at: '2026-01-01T00:00:00.000Z' }
  await newer.append('future-1', 'no_stream', [{ type: 'FromTheFuture', data: {} }], context)
  await write(log, id, deposited(id, 3))

  const running = run({ pool, log })
  await until(() => running.progress.of('accounts')?.state === 'failed')
  expect(running.progress.of('accounts')?.failure).toMatchObject({
    kind: 'UnknownEventType',
    message: expect.stringContaining('FromTheFuture'),
  })
  expect(await balances(pool)).toEqual({ accounts: [`${id} 2 1`], total: 1n })
  await running.stop()
})

test('a version that this build does not know stops the projection and its rebuild; a newer process gets the lease and goes on', async () => {
  const { pool } = database
  const store = memoryEventStore()
  const keyRing = memoryKeyRing()
  const declarations = { ...accountDeclarations, MoneyDeposited: { version: 2 } }
  const upcasters = [{ type: 'MoneyDeposited', from: 1, upcast: (data: object) => ({ ...data }) }]
  const newer = createEventLog({ store, declarations, upcasters, keyRing })
  const log = createEventLog({ store, declarations: accountDeclarations, upcasters: [], keyRing })
  const id = randomUUID()
  await write(log, id, opened(id), deposited(id, 2))
  await write(newer, id, deposited(id, 30))
  await write(log, id, deposited(id, 400))

  const old = run({ pool, log })
  await until(() => old.progress.of('accounts')?.state === 'failed')
  expect(old.failures).toMatchObject([{ name: 'UnknownEventType', type: 'MoneyDeposited', version: 2 }])
  await expect(rebuild({ projection: mendedProjection, log, pool })).rejects.toMatchObject({ name: 'UnknownEventType' })
  expect(await listParked(pool)).toEqual([])
  expect(await balances(pool)).toEqual({ accounts: [`${id} 2 1`], total: 1n })

  const young = run({ pool, log: newer })
  await untilAtHead(young, newer)
  await Promise.all([old.stop(), young.stop()])
  expect(await balances(pool)).toEqual({ accounts: [`${id} 432 3`], total: 1n })
})
