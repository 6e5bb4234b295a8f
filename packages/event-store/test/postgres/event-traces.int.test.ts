import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EventStore } from '../../src/port.ts'
import { forgetTraces, saveTraces, tracesOf } from '../../src/postgres/event-traces.ts'
import { postgresEventStore } from '../../src/postgres/postgres-store.ts'

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

const text = (digit: string): string => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`
const event = (digit: string | null, ...ids: readonly string[]) => ({
  ...{ id: crypto.randomUUID(), type: 'Seen', data: '{}', meta: '{"a":1}' },
  ...(digit !== null && { trace: { traceparent: text(digit), ids } }),
})

test('the trace of an event is written with it, beside the log, and the first of a message stays', async () => {
  const message = crypto.randomUUID()
  const [accepted, sent, untraced] = [event('a', message), event('b', message), event(null)]
  const stream = `thing-${message}`
  const appended = await store.append(stream, 'no_stream', [accepted, untraced])
  // As a process does that did not hear the answer.
  expect(await store.append(stream, 'no_stream', [accepted, untraced])).toEqual({ ...appended, duplicate: true })
  await store.append(stream, 1, [sent])
  expect(await tracesOf(db.pool, [accepted.id, untraced.id, sent.id, message])).toEqual(
    new Map([
      [accepted.id, text('a')],
      [sent.id, text('b')],
      [message, text('a')],
    ]),
  )
  const read = await store.readStream(stream)
  expect(read.map(({ meta, data }) => [meta, data])).toEqual(Array.from({ length: 3 }, () => ['{"a":1}', '{}']))
  expect(read.some((one) => 'trace' in one)).toBe(false)
})

test('appends of one batch are judged as without traces', async () => {
  const [good, wrong] = [event('c'), event('d')]
  const results = await Promise.allSettled([
    store.append(`thing-${crypto.randomUUID()}`, 'no_stream', [good]),
    store.append(`thing-${crypto.randomUUID()}`, 5, [wrong]),
    store.append(`thing-${crypto.randomUUID()}`, 'no_stream', [event(null)]),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect((await tracesOf(db.pool, [good.id])).get(good.id)).toBe(text('c'))
})

test('a trace is kept for a day, and for a log that lies elsewhere too', async () => {
  const [old, young] = [event('e'), event('f')]
  await saveTraces(db.pool, [old, young, event(null)])
  await saveTraces(db.pool, [event(null)])
  await db.pool.query(`update es.event_trace set at = at - interval '25 hours' where id = $1`, [old.id])
  expect(await forgetTraces(db.pool, 1_000)).toBe(1)
  expect(await forgetTraces(db.pool, 1_000)).toBe(0)
  expect([...(await tracesOf(db.pool, [old.id, young.id])).keys()]).toEqual([young.id])
})
