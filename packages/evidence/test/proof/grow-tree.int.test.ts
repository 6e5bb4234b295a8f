import type { EventStore } from '@tidings/event-store'
import { eventStoreDbStore } from '@tidings/event-store/eventstoredb'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS, testDatabase } from '@tidings/testing'
import { PATIENT_TIMES, startEventStoreFixture } from '@tidings/testing/eventstoredb'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { growTree, LogDiffers } from '../../src/proof/grow-tree.ts'
import { HeadContradicted } from '../../src/proof/heads.ts'
import { signDueHead } from '../../src/proof/keep-heads.ts'
import { rootAt } from '../../src/proof/prove.ts'
import { leafOf } from '../../src/proof/stored-event.ts'
import { GrowingTree } from '../../src/proof/tree/growing-tree.ts'
import { readTreeSize } from '../../src/proof/tree-tables.ts'
import { openWorld, STORES, type World } from './proof.testing.ts'

/** The root over the log as it is, in one go. */
const rootOfLog = async (store: EventStore): Promise<string> => {
  const tree = new GrowingTree(0, [])
  const { events } = await store.readAll('start', 10_000)
  for (const event of events) tree.append(leafOf(event))
  return tree.root().toString('hex')
}

const storedRoot = async ({ pool }: World): Promise<string> => await rootAt(pool, (await readTreeSize(pool))?.size ?? 0)

/** Events without a person in them, 300 of them: more than a tile. */
const fill = async ({ store }: Pick<World, 'store'>, count = 300): Promise<void> => {
  const events = Array.from({ length: count }, () => ({
    id: crypto.randomUUID(),
    type: 'ThingHappened',
    data: '{"a":"ä☕\\n"}',
    meta: '{}',
  }))
  for (let n = 0; n < count; n += 50) await store.append(`thing-${crypto.randomUUID()}`, 'no_stream', events.slice(n, n + 50))
}

const forget = (pool: Pool) => pool.query('truncate proof.tree, proof.tile, proof.head')

describe.each(STORES)('the tree over a log in %s', (kind) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(kind)
    await fill(world)
  })
  afterAll(() => world.close())

  test('has a leaf for each event, in its order, and grows with it', async () => {
    for (let round = 0; round < 3; round++) {
      await growTree(world)
      expect(await storedRoot(world)).toBe(await rootOfLog(world.store))
      await fill(world, 50 + 200 * round)
    }
    expect(await growTree(world)).toBe(300 + 50 + 250 + 450)
    expect(await growTree(world)).toBe(300 + 50 + 250 + 450)
  })

  test('is the same when several processes make it at once', async () => {
    await forget(world.pool)
    await Promise.all(Array.from({ length: 4 }, () => growTree(world)))
    expect(await storedRoot(world)).toBe(await rootOfLog(world.store))
  })

  test('takes nothing more where the log does not hold its last event', async () => {
    const { store, pool } = world
    await growTree(world)
    const size = (await readTreeSize(pool))?.size
    await pool.query(
      `update proof.tile set hashes = set_byte(hashes, length(hashes) - 1, get_byte(hashes, length(hashes) - 1) # 1) where level = 0`,
    )
    await fill(world, 10)
    await expect(growTree({ pool, store })).rejects.toBeInstanceOf(LogDiffers)
    expect((await readTreeSize(pool))?.size).toBe(size)
    await forget(pool)
  })
})

/** Grows the tree in a process that dies at its `survives`-th call, before the call or behind it; false where it was done by then. */
const diesAfter = async ({ pool, store }: World, survives: number): Promise<boolean> => {
  let calls = 0
  const dying =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const isLast = calls++ === Math.floor(survives / 2)
      if (isLast && survives % 2 === 0) throw new Error('killed')
      const result = await call(...args)
      if (isLast) throw new Error('killed')
      return result
    }
  const query = dying((...args: [string]) => pool.query(...args))
  const killed = await growTree({ pool: { query } as Pick<Pool, 'query'> as Pool, store: { readAll: dying(store.readAll) } }).catch(
    (error: Error) => error,
  )
  return killed instanceof Error && killed.message === 'killed'
}

describe('the tree', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld('Postgres')
    await fill(world)
  })
  afterAll(() => world.close())

  test('is the same when a process that makes it dies between any two steps', async () => {
    for (let survives = 0, died = true; died; survives++) {
      await forget(world.pool)
      await fill(world, 10)
      died = await diesAfter(world, survives)
      await growTree(world)
      expect(await storedRoot(world)).toBe(await rootOfLog(world.store))
      if (!died) expect(survives).toBeGreaterThan(2)
    }
  })
})

test('grows past any number of records of the server itself', async () => {
  const { pool, drop } = await testDatabase()
  const fixture = await startEventStoreFixture()
  const store = eventStoreDbStore({ connectionString: fixture.connectionString, times: PATIENT_TIMES })
  const statistics = (): void => {
    const record = () => ({ id: crypto.randomUUID(), type: '$statsCollected', contentType: 'application/json' as const })
    const bytes = { data: Buffer.from('{}'), metadata: Buffer.from('{}') }
    for (let n = 0; n < 4_500; n++) fixture.log.commit('$stats-127.0.0.1:2113', [{ ...record(), ...bytes }])
  }
  let pages = 0
  const readAll: EventStore['readAll'] = async (...of) => {
    if (pages++ > 20) throw new Error('It reads the same page again.')
    return await store.readAll(...of)
  }
  await fill({ store }, 50)
  statistics()
  expect(await growTree({ pool, store: { readAll } })).toBe(50)
  await fill({ store }, 50)
  statistics()
  expect(await growTree({ pool, store: { readAll } })).toBe(100)
  expect(await rootAt(pool, 100)).toBe(await rootOfLog(store))
  await store.close()
  await fixture.close()
  await drop()
})

describe('after a restore of an older log beside the tree of a later one', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld('Postgres')
    await fill(world)
    await growTree(world)
    await signDueHead(world.pool, world.key, { everyMs: 0, everyEvents: 1 }, () => new Date())
  })
  afterAll(() => world.close())

  /** The log in Postgres, without its last events. */
  const cut = async (count: number): Promise<void> => {
    await world.pool.query(
      `set es.allow_rewrite = 'on'; delete from es.event where position > (select max(position) - ${count} from es.event); reset es.allow_rewrite`,
    )
  }

  test('nothing is added to the tree, however far the log has grown again', async () => {
    await cut(20)
    const restored = await openAgain(world)
    await expect(growTree({ pool: world.pool, store: restored })).rejects.toThrow(
      'The log does not have the last of the 300 events that its tree was made of',
    )
    await fill({ ...world, store: restored }, 50)
    await expect(growTree({ pool: world.pool, store: restored })).rejects.toBeInstanceOf(LogDiffers)
    await restored.close()
  })

  test('a tree that was made anew signs no head that contradicts one that was signed', async () => {
    await world.pool.query('truncate proof.tree, proof.tile')
    const restored = await openAgain(world)
    await growTree({ pool: world.pool, store: restored })
    await expect(signDueHead(world.pool, world.key, { everyMs: 0, everyEvents: 1 }, () => new Date())).rejects.toThrow(HeadContradicted)
    await restored.close()
  })
})

/** Opens the log like a process that has seen nothing of it. */
const openAgain = async ({ pool }: World): Promise<EventStore> => postgresEventStore({ pool, appendDeadlineMs: PATIENT_MS })
