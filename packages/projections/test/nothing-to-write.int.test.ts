import { randomUUID } from 'node:crypto'
import { Fenced } from '@tidings/jobs'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import type { Pool, QueryConfig } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { fence, readCheckpoint } from '../src/follow/checkpoint.ts'
import { createGathering } from '../src/follow/gathering.ts'
import { projectionLeases } from '../src/follow/lease.ts'
import { applyBatch, persistPosition, startSession } from '../src/follow/session.ts'
import { type AnyProjection, createProgress } from '../src/index.ts'
import { accountsProjection } from './accounts.ts'
import { balances, bankLog, closed, deposited, forget, opened, run, until, untilAtHead, write } from './bank.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

beforeEach(() => forget(database.pool))

afterAll(() => database.drop())

/** Looks at no account when money is deposited, as `campaign_results` at a message of no campaign. */
const openings: AnyProjection = {
  ...accountsProjection,
  reads: (event) => (event.type === 'MoneyDeposited' ? [] : accountsProjection.reads(event)),
  fold: (event, rows) => {
    if (event.type !== 'MoneyDeposited') accountsProjection.fold(event, rows)
  },
}

const storedPosition = async () => (await readCheckpoint(database.pool, 'accounts'))?.position

/** An owner of the projection, where one account is open already. */
const owning = async (projection: AnyProjection) => {
  const { pool } = database
  const written: string[] = []
  const noting: Pool = Object.assign(Object.create(pool), {
    // What writes has a name; what reads a row has none.
    query: (text: string | QueryConfig, values?: unknown[]) => {
      if (typeof text !== 'string' && text.name !== undefined) written.push(text.name)
      return pool.query(text, values)
    },
  })
  const log = bankLog()
  const id = randomUUID()
  await write(log, id, opened(id))
  const first = run({ pool, log })
  await untilAtHead(first, log)
  await first.stop()
  const { epoch } = (await projectionLeases.acquire(pool, 'accounts', 'owner'))!
  await fence(pool, 'accounts', epoch)
  const { position } = (await readCheckpoint(pool, 'accounts'))!
  const session = startSession({ projection, pool: noting, log, epoch, position, parked: [] })
  return { log, id, position, session, written }
}

const replaceOwner = async () => {
  const { pool } = database
  await pool.query(`update ops.projection_lease set expires_at = clock_timestamp() - interval '1 second'`)
  await fence(pool, 'accounts', (await projectionLeases.acquire(pool, 'accounts', 'heir'))!.epoch)
}

test('events that look at no row are passed without a write, and the checkpoint follows with what is next', async () => {
  const { log, id, position, session } = await owning(openings)
  const passed = await write(log, id, deposited(id, 1))
  await applyBatch(session, await log.readAll(position, 10))
  expect(session.reached).toEqual(passed)
  expect(await storedPosition()).toEqual(position)
  await persistPosition(session)
  expect(await storedPosition()).toEqual(passed)

  const [before, other] = [await write(log, id, deposited(id, 1)), randomUUID()]
  await applyBatch(session, await log.readAll(passed, 10))
  const last = await write(log, other, opened(other))
  await applyBatch(session, await log.readAll(before, 10))
  expect(await storedPosition()).toEqual(last)
})

test('a replaced owner is refused by the fence where it looked at a row, though it would change none', async () => {
  const { log, position, session } = await owning(accountsProjection)
  await replaceOwner()
  const unknown = randomUUID()
  await write(log, unknown, deposited(unknown, 1))
  await expect(log.readAll(position, 10).then((batch) => applyBatch(session, batch))).rejects.toBeInstanceOf(Fenced)
  expect(session.reached).toEqual(position)
})

/** No caller waits for a deposit. */
const patient: AnyProjection = { ...accountsProjection, isPatient: ({ type }) => type === 'MoneyDeposited' }

test('a row that a batch creates and deletes is neither written nor deleted', async () => {
  const { log, position, session, written } = await owning(accountsProjection)
  const other = randomUUID()
  const last = await write(log, other, opened(other), closed(other))
  await applyBatch(session, await log.readAll(position, 10))
  expect(written).toEqual(['commit accounts 1, nothing deleted'])
  expect((await balances(database.pool)).accounts).toHaveLength(1)
  expect(await storedPosition()).toEqual(last)
  await write(log, other, opened(other))
  await applyBatch(session, await log.readAll(last, 10))
  const end = await write(log, other, closed(other))
  await applyBatch(session, await log.readAll(session.reached, 10))
  expect((await balances(database.pool)).accounts).toHaveLength(1)
  expect(await storedPosition()).toEqual(end)
})

test('events that no caller waits for are written together, at the latest a moment later', async () => {
  const { log, id, position, session, written } = await owning(patient)
  const late: 'late'[] = []
  const gathering = createGathering(
    session,
    () => false,
    () => late.push('late'),
  )
  for (const amount of [1, 2, 3]) {
    const from = await log.head()
    await write(log, id, deposited(id, amount))
    await gathering.take(await log.readAll(from, 10))
  }
  // It does not concern the projection, and comes behind what does.
  const from = await log.head()
  const last = await write(log, id, { type: 'SomethingElse', data: {} })
  await gathering.take(await log.readAll(from, 10))
  expect([session.reached, written]).toEqual([position, []])
  await until(() => late.length > 0)
  await gathering.flush()
  expect(written).toEqual(['commit accounts 1, nothing deleted'])
  expect((await balances(database.pool)).accounts).toEqual([`${id} 6 3`])
  expect(await storedPosition()).toEqual(last)
  await gathering.flush()
  expect(written).toHaveLength(1)
})

test.each([
  ['an event that a caller may wait for', { isPatient: false, isAwaited: false, caughtUp: true }],
  ['a wait for the projection', { isPatient: true, isAwaited: true, caughtUp: true }],
  ['more of the log', { isPatient: true, isAwaited: false, caughtUp: false }],
])('%s ends the gathering', async (_, { isPatient, isAwaited, caughtUp }) => {
  const { log, id, position, session } = await owning(patient)
  await write(log, id, deposited(id, 1))
  const gathering = createGathering(
    session,
    () => isAwaited,
    () => undefined,
  )
  const first = await log.readAll(position, 10)
  if (!isAwaited) await gathering.take(first)
  const other = randomUUID()
  const last = await write(log, ...(isPatient ? ([id, deposited(id, 1)] as const) : ([other, opened(other)] as const)))
  expect(session.reached).toEqual(position)
  const rest = await log.readAll(isAwaited ? position : first.to, 10)
  await gathering.take({ ...rest, caughtUp })
  expect(await storedPosition()).toEqual(last)
  expect((await balances(database.pool)).accounts).toContain(`${id} ${isPatient ? 2 : 1} ${isPatient ? 2 : 1}`)
  gathering.end()
})

test('what was gathered when a session ends is left to the next one', async () => {
  const { log, id, position, session } = await owning(patient)
  await write(log, id, deposited(id, 1))
  const gathering = createGathering(
    session,
    () => false,
    () => undefined,
  )
  await gathering.take(await log.readAll(position, 10))
  gathering.end()
  await gathering.flush()
  await persistPosition(session)
  expect(await storedPosition()).toEqual(position)
})

test('behind a batch that failed none is applied, not even one that waits its turn', async () => {
  const { log, id, position, session, written } = await owning(patient)
  const [begun, cut] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const commit: typeof session.commit = async (...batch) => {
    begun.resolve()
    await cut.promise
    return session.commit(...batch)
  }
  const gathering = createGathering(
    { ...session, commit },
    () => false,
    () => undefined,
  )
  await write(log, id, deposited(id, 1))
  const first = await log.readAll(position, 10)
  await gathering.take(first)
  const late = gathering.flush()
  await begun.promise
  const other = randomUUID()
  await write(log, other, opened(other))
  const behind = gathering.take(await log.readAll(first.to, 10))
  const lost = new Error('the connection was lost')
  cut.reject(lost)
  expect(await Promise.allSettled([late, behind])).toEqual(Array(2).fill({ status: 'rejected', reason: lost }))
  await write(log, id, { type: 'SomethingElse', data: {} })
  await expect(gathering.take(await log.readAll(await log.head(), 10))).rejects.toBe(lost)
  expect(written).toEqual([])
  expect(await storedPosition()).toEqual(position)
})

test('a projection is awaited while anybody waits for it, and its owner hears when a wait begins', () => {
  const progress = createProgress()
  let heard = 0
  const unlink = progress.onAwaited('accounts', () => heard++)
  const [first, second] = [progress.await('accounts'), progress.await('accounts')]
  progress.await('others')
  expect([progress.isAwaited('accounts'), heard]).toEqual([true, 2])
  first()
  expect(progress.isAwaited('accounts')).toBe(true)
  second()
  expect(progress.isAwaited('accounts')).toBe(false)
  unlink()
  progress.await('accounts')
  expect([progress.isAwaited('accounts'), heard]).toEqual([true, 2])
})
