import { randomUUID } from 'node:crypto'
import { Fenced } from '@tidings/jobs'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { fence, readCheckpoint } from '../src/follow/checkpoint.ts'
import { projectionLeases } from '../src/follow/lease.ts'
import { applyBatch, persistPosition, startSession } from '../src/follow/session.ts'
import type { AnyProjection } from '../src/index.ts'
import { accountsProjection } from './accounts.ts'
import { bankLog, deposited, forget, opened, run, untilAtHead, write } from './bank.ts'

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
  const log = bankLog()
  const id = randomUUID()
  await write(log, id, opened(id))
  const first = run({ pool, log })
  await untilAtHead(first, log)
  await first.stop()
  const { epoch } = (await projectionLeases.acquire(pool, 'accounts', 'owner'))!
  await fence(pool, 'accounts', epoch)
  const { position } = (await readCheckpoint(pool, 'accounts'))!
  return { log, id, position, session: startSession({ projection, pool, log, epoch, position, parked: [] }) }
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
