import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StreamDeleted } from '../../src/errors.ts'
import { createLastSeen } from '../../src/last-seen.ts'
import type { EventStore } from '../../src/port.ts'
import { postgresEventStore } from '../../src/postgres/postgres-store.ts'
import { streamReader } from '../../src/postgres/read-streams.ts'

let db: TestDatabase
let store: EventStore
beforeAll(async () => {
  db = await testDatabase()
  store = postgresEventStore({ pool: db.pool, appendDeadlineMs: PATIENT_MS })
})
afterAll(async () => {
  await store.close()
  await db.drop()
})

const aStream = async (events: number): Promise<string> => {
  const stream = `thing-${crypto.randomUUID()}`
  for (let n = 0; n < events; n++) await store.append(stream, 'any', [{ id: crypto.randomUUID(), type: 'Seen', data: '{}', meta: '{}' }])
  return stream
}

/** The reader, and how many statements it took. */
const aReader = () => {
  const statements: unknown[] = []
  const query = ((statement: never) => {
    statements.push(statement)
    return db.pool.query(statement)
  }) as typeof db.pool.query
  return { read: streamReader({ query }, createLastSeen({})), statements }
}

test('streams that are asked for at once are read by one statement, and each answer is of its own question', async () => {
  const [long, short, cut, gone] = [await aStream(4), await aStream(1), await aStream(3), await aStream(2)]
  await store.setStreamLimits(cut, { maxCount: 2 })
  await store.tombstoneStream(gone, 'any')
  const { read, statements } = aReader()
  const answers = await Promise.allSettled([
    read(long),
    read(long, { from: 2 }),
    read(long, { from: 1, limit: 2 }),
    read(short),
    read('thing-unknown'),
    read(cut),
    read(gone),
  ])
  expect(statements).toHaveLength(1)
  const revisions = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.map(({ revision }) => revision) : answer.reason))
  expect(revisions).toEqual([[0, 1, 2, 3], [2, 3], [1, 2], [0], [], [1, 2], expect.any(StreamDeleted)])
  for (const answer of answers.slice(0, 3))
    expect(answer).toMatchObject({ value: expect.arrayContaining([expect.objectContaining({ stream: long })]) })
})

test('backwards as well', async () => {
  const [long, short] = [await aStream(3), await aStream(2)]
  const { read, statements } = aReader()
  const back = { direction: 'backwards' } as const
  const found = await Promise.all([read(long, back), read(short, { ...back, limit: 1 }), read(long, { ...back, from: 1 })])
  expect(found.map((events) => events.map(({ revision }) => revision))).toEqual([[2, 1, 0], [1], [1, 0]])
  expect(statements).toHaveLength(1)
})

test('hundreds of streams are several statements', async () => {
  const stream = await aStream(1)
  const { read, statements } = aReader()
  const found = await Promise.all(Array.from({ length: 200 }, () => read(stream)))
  expect(found.map((events) => events.length)).toEqual(found.map(() => 1))
  expect(statements).toHaveLength(4)
})
