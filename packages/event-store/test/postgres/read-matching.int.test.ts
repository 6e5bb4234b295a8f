import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Batch, Position } from '../../src/port.ts'
import { postgresEventStore } from '../../src/postgres/postgres-store.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

test('a match that is further away than one statement looks is found, by batches that are empty until there', async () => {
  await database.pool.query(
    `insert into es.event (position, stream_id, revision, event_id, type, data, meta, created)
     select n, 'filler-' || n, 0, gen_random_uuid(), case n when 120000 then 'Rare' else 'Common' end, '{}', '{}', now()
     from generate_series(1, 120001) n`,
  )
  const store = postgresEventStore({ pool: database.pool, appendDeadlineMs: PATIENT_MS })
  const next = async (after: Position | 'start'): Promise<Batch> => {
    if (store.readMatching === undefined) throw new Error('this store can')
    return store.readMatching(after, 10, { types: ['Rare'] })
  }
  const batches: Batch[] = [await next('start')]
  while (batches.at(-1)?.caughtUp === false) batches.push(await next(batches.at(-1)?.to ?? 'start'))
  expect(batches.map(({ events, to, caughtUp }) => [events.map(({ position }) => position.commit), to.commit, caughtUp])).toEqual([
    [[], 50_000n, false],
    [[], 100_000n, false],
    [[120_000n], 120_001n, true],
  ])
  await store.close()
})
