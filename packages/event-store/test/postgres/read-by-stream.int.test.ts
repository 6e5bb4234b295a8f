import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { LogWentBack } from '../../src/errors.ts'
import type { Position, StreamRevision } from '../../src/port.ts'
import { postgresEventStore } from '../../src/postgres/postgres-store.ts'

const COUNT = 40_000

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.pool.query(
    `insert into es.event (position, stream_id, revision, event_id, type, data, meta, created)
     select n + 1, case when n % 4 = 0 then 'other-' else 'some-' end || md5((n / 8)::text) || n % 4, n % 8 / 4, gen_random_uuid(), 'Filled',
       jsonb_build_object('text', repeat('x', 900))::text, '{}', now()
     from generate_series(0, ${COUNT - 1}) n`,
  )
})
afterAll(() => database.drop())

const openByStream = () => {
  const { byStream, close } = postgresEventStore({ pool: database.pool, appendDeadlineMs: PATIENT_MS })
  onTestFinished(close)
  if (byStream === undefined) throw new Error('this store can')
  return byStream
}

const match = (commit: number) => ({
  types: ['Filled'],
  knownTypes: ['Filled'],
  upTo: { commit: BigInt(commit), prepare: 0n } satisfies Position,
})

test('a large log is divided into ranges of about as many events, which together hold each event once', async () => {
  const { read, ranges: divide } = openByStream()
  const ranges = await divide('some', 8)
  const seen = new Set<bigint>()
  const sizes: number[] = []
  for (const range of ranges) {
    const before = seen.size
    let cursor: StreamRevision | null = null
    do {
      const { events, next } = await read(range, cursor, 5_000, match(COUNT))
      for (const { position } of events) seen.add(position.commit)
      cursor = next
    } while (cursor !== null)
    sizes.push(seen.size - before)
  }
  expect([ranges.length, seen.size]).toEqual([8, (COUNT / 4) * 3])
  expect(Math.max(...sizes)).toBeLessThan(COUNT / 4)
})

test('a page is bounded in bytes, and the next one goes on behind it', async () => {
  const { read } = openByStream()
  const range = { from: 'some-', to: 'some.' }
  const first = await read(range, null, COUNT, match(COUNT))
  const bytes = first.events.reduce((sum, { data, meta }) => sum + data.length + meta.length, 0)
  expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024)
  const second = await read(range, first.next, COUNT, match(COUNT))
  expect([first.events.length + second.events.length, second.next]).toEqual([(COUNT / 4) * 3, null])
})

test('a log that does not reach the end that was given is another one', async () => {
  const { read } = openByStream()
  await expect(read({ from: 'some-', to: 'some.' }, null, 10, match(COUNT + 1))).rejects.toThrow(LogWentBack)
})

test('a log that was set back meanwhile, and has grown as far again, is another one', async () => {
  const { read } = openByStream()
  const range = { from: 'some-', to: 'some.' }
  const { next } = await read(range, null, 10, match(COUNT))
  const client = await database.pool.connect()
  try {
    await client.query(
      `begin; set local es.allow_rewrite = on; update es.event set event_id = gen_random_uuid() where position = ${COUNT}; commit`,
    )
  } finally {
    client.release()
  }
  await expect(read(range, next, 10, match(COUNT))).rejects.toThrow(LogWentBack)
})
