import { createEventLog, type EventLog, type KeyRing, openKeyRing, upcasters } from '@tidings/codec'
import { eventDeclarations } from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { type Anchor, openLogKey, verifyLog } from '@tidings/proof'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { keepProving, type Proving } from './keep-proving.ts'

let db: TestDatabase
let store: EventStore
let log: EventLog
let keyRing: KeyRing
const stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  db = await testDatabase()
  store = postgresEventStore({ pool: db.pool })
  keyRing = await openKeyRing({ pool: db.pool, masterKey: '00'.repeat(32) })
  log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})
afterAll(async () => {
  await log.close()
  await db.drop()
})

const append = async (): Promise<void> => {
  await store.append(`thing-${crypto.randomUUID()}`, 'no_stream', [
    { id: crypto.randomUUID(), type: 'ThingHappened', data: '{}', meta: '{}' },
  ])
}

const start = (more: Partial<Proving> = {}): void => {
  const proving = keepProving({
    ...{ pool: db.pool, store, keyRing, anchor: null, heads: { everyMs: 0, everyEvents: 1 }, everyMs: 10 },
    now: () => new Date(),
    onFault: (error) => expect(error).toBeNull(),
    ...more,
  })
  stops.push(proving.stop)
}

const sizes = async () => {
  const { rows } = await db.pool.query<{ size: bigint; anchored: boolean }>(
    'select t.size, h.anchored_at is not null as anchored from proof.tree t join proof.head h using (size)',
  )
  return rows[0] && [Number(rows[0].size), rows[0].anchored]
}

test('two processes keep one tree at the end of the log, with a signed head, and it is right', async () => {
  start()
  start()
  for (let n = 0; n < 5; n++) await append()
  const { commit } = await store.head()
  await expect.poll(sizes, { timeout: 20_000 }).toEqual([Number(commit), false])
  const key = await openLogKey(keyRing)
  const verified = await verifyLog({ pool: db.pool, store, key, anchorFile: null, restart: true, onProgress: () => undefined })
  expect(verified).toMatchObject({ ok: true, events: Number(commit) })
})

test('an anchor that fails is named once, and asked again only later', async () => {
  const faults: unknown[] = []
  let asked = 0
  const anchor: Anchor = {
    keep: async () => {
      asked++
      throw new Error('the anchor is full')
    },
    close: async () => undefined,
  }
  await append()
  start({ anchor, retryMs: 3_600_000, onFault: (error) => faults.push(error) })
  await expect.poll(() => faults, { timeout: 20_000 }).toEqual([new Error('the anchor is full')])
  const { commit } = await store.head()
  for (let n = 1; n <= 3; n++) {
    await append()
    await expect.poll(sizes, { timeout: 20_000 }).toEqual([Number(commit) + n, false])
  }
  expect([asked, faults]).toEqual([1, [new Error('the anchor is full')]])
})

test('what it anchors is noted', async () => {
  const kept: number[] = []
  const anchor: Anchor = {
    keep: async ({ statement }) => {
      kept.push(statement.size)
    },
    close: async () => undefined,
  }
  await append()
  const { commit } = await store.head()
  start({ anchor })
  await expect.poll(sizes, { timeout: 20_000 }).toEqual([Number(commit), true])
  expect(kept).toEqual([Number(commit)])
})
