import type { Position } from '@tidings/event-store'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createProjection, fence, readCheckpoint } from '../src/follow/checkpoint.ts'
import { type Beat, beat } from '../src/follow/heartbeat.ts'
import { projectionLeases } from '../src/follow/lease.ts'
import { moveTogether } from '../src/follow/move-together.ts'
import type { AnyProjection } from '../src/index.ts'
import { accountsProjection } from './accounts.ts'

const NAMES = ['one', 'two', 'three'] as const
const projections: readonly AnyProjection[] = NAMES.map((name) => ({ ...accountsProjection, name, tables: [] }))
const START: Position = { commit: -1n, prepare: -1n }
const END: Position = { commit: 9n, prepare: 0n }

let database: TestDatabase
const epochs = new Map<string, bigint>()

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  // A statement that is a second late counts as one that did nothing: here no time passes for it.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { pool } = database
  await pool.query('truncate ops.projection_checkpoint, ops.projection_lease, ops.projection_status, ops.parked_stream')
  for (const projection of projections) {
    const client = await pool.connect()
    await createProjection(client, projection)
    client.release()
    const { epoch } = (await projectionLeases.acquire(pool, projection.name, 'owner'))!
    await fence(pool, projection.name, epoch)
    epochs.set(projection.name, epoch)
  }
})

afterEach(() => void vi.useRealTimers())

const epochOf = ({ name }: AnyProjection): bigint => epochs.get(name)!
const moveAll = () =>
  Promise.all(
    projections.map((projection) =>
      moveTogether(database.pool, { projection, move: { epoch: epochOf(projection), from: START, to: END } }),
    ),
  )
const beatEach = (persisted: Position) =>
  projections.map((projection) => {
    const beating: Beat = {
      ...{ projection: projection.name, owner: 'owner', epoch: epochOf(projection), persisted, state: 'live' },
      ...{ lag: { events: 3n, seconds: 0.5, rate: null, etaSeconds: null }, failure: null },
    }
    return beat(database.pool, beating)
  })
const beatAll = (persisted: Position) => Promise.all(beatEach(persisted))
const positions = () => Promise.all(projections.map(async ({ name }) => (await readCheckpoint(database.pool, name))?.position.commit))

/** A transaction locks the row of projection two while `work` runs. */
async function whileLocked<Result>(table: string, work: () => Promise<Result>): Promise<Result> {
  const client = await database.pool.connect()
  await client.query(`begin; select from ${table} where projection = 'two' for update`)
  try {
    return await work()
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test('all checkpoints of a process move in one statement', async () => {
  const query = vi.spyOn(database.pool, 'query')
  expect(await moveAll()).toEqual([true, true, true])
  expect(query).toHaveBeenCalledTimes(1)
  query.mockRestore()
  expect(await positions()).toEqual([9n, 9n, 9n])
})

test('one that another owner has, and one that is locked, stay, and keep no other from moving', async () => {
  await fence(database.pool, 'one', 99n)
  expect(await whileLocked('ops.projection_checkpoint', moveAll)).toEqual([false, false, true])
  expect(await positions()).toEqual([-1n, -1n, 9n])
})

test('all beat in one statement, each with its own answer', async () => {
  await moveAll()
  await database.pool.query(`update ops.projection_checkpoint set position_commit = 5 where projection = 'two'`)
  await database.pool.query(
    `insert into ops.parked_stream (projection, stream, revision, position_commit, position_prepare, event_id, event_type, workspace_id, error,
       redrive_requested_at)
     values ('three', 'account-1', 4, 1, 0, gen_random_uuid(), 'A', '0192f0c1-0000-7000-8000-000000000001', 'e', now())`,
  )
  const query = vi.spyOn(database.pool, 'query')
  expect(await beatAll(END)).toEqual([
    { leased: true, fellBack: false, redrive: [] },
    { leased: true, fellBack: true, redrive: [] },
    {
      leased: true,
      fellBack: false,
      redrive: [{ workspaceId: '0192f0c1-0000-7000-8000-000000000001', stream: 'account-1', revision: 4 }],
    },
  ])
  expect(query).toHaveBeenCalledTimes(1)
  query.mockRestore()
  const { rows } = await database.pool.query('select state, lag_events, lag_seconds from ops.projection_status')
  expect(rows).toEqual(NAMES.map(() => ({ state: 'live', lag_events: 3n, lag_seconds: 0.5 })))
})

test('a lost lease is an answer to its projection alone', async () => {
  await database.pool.query(`update ops.projection_lease set owner = 'heir', epoch = epoch + 1 where projection = 'one'`)
  expect((await beatAll(START)).map(({ leased }) => leased)).toEqual([false, true, true])
})

test('a projection whose lease is locked beats behind the lock, and the others do not wait for it', async () => {
  const beats = await whileLocked('ops.projection_lease', async () => {
    const [one, two, three] = beatEach(START)
    expect((await one!).leased && (await three!).leased).toBe(true)
    return { two: two! }
  })
  expect((await beats.two).leased).toBe(true)
})
