import { createEventLog, type EventLog, type KeyRing, openKeyRing, upcasters } from '@tidings/codec'
import { eventDeclarations } from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { type Anchor, openLogKey, verifyLog } from '@tidings/evidence/proof'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type ProofOptions, startProof } from '../../src/proof/start-proof.ts'
import { recordingLogger } from '../testing/recording-logger.ts'

let db: TestDatabase
let store: EventStore
let log: EventLog
let keyRing: KeyRing
const stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  db = await testDatabase()
  store = postgresEventStore({ pool: db.pool, appendDeadlineMs: PATIENT_MS })
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

const start = (more: Partial<ProofOptions> = {}): void => {
  const proving = startProof({
    ...{ pool: db.pool, store, keyRing, anchor: null, heads: { everyMs: 0, everyEvents: 1 }, everyMs: 10 },
    canWork: () => true,
    now: () => new Date(),
    logger: recordingLogger(),
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

test('a process that lacks the master key in force leaves the tree to one that has it', async () => {
  let has = true
  start({ canWork: () => has })
  await append()
  const before = Number((await store.head()).commit)
  await expect.poll(sizes).toEqual([before, false])
  has = false
  start()
  await append()
  const { commit } = await store.head()
  await expect.poll(sizes).toEqual([Number(commit), false])
})

test('two processes keep one tree at the end of the log, with a signed head, and it is right', async () => {
  start()
  start()
  for (let n = 0; n < 5; n++) await append()
  const { commit } = await store.head()
  await expect.poll(sizes).toEqual([Number(commit), false])
  const key = await openLogKey(keyRing)
  const verified = await verifyLog({
    pool: db.pool,
    store,
    readers: null,
    key,
    anchorFile: null,
    restart: true,
    onProgress: () => undefined,
  })
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
  await expect.poll(() => faults).toEqual([new Error('the anchor is full')])
  const { commit } = await store.head()
  for (let n = 1; n <= 3; n++) {
    await append()
    await expect.poll(sizes).toEqual([Number(commit) + n, false])
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
  await expect.poll(sizes).toEqual([Number(commit), true])
  expect(kept).toEqual([Number(commit)])
})

test('an anchor that hangs is named, asked once, and the tree grows on', async () => {
  const faults: string[] = []
  let asked = 0
  const anchor: Anchor = {
    keep: () => {
      asked++
      return new Promise(() => undefined)
    },
    close: async () => undefined,
  }
  await append()
  start({ anchor, answerMs: 100, onFault: (error) => faults.push(String(error)) })
  await expect.poll(() => faults).toEqual([expect.stringContaining('The anchor has not answered for 0.1 s')])
  const { commit } = await store.head()
  await append()
  await expect.poll(sizes).toEqual([Number(commit) + 1, false])
  expect([asked, faults.length]).toEqual([1, 1])
})

test('heads are signed while the tree is far behind, not only at its end', async () => {
  await db.pool.query('truncate proof.tree, proof.tile, proof.head')
  const events = () => Array.from({ length: 500 }, () => ({ id: crypto.randomUUID(), type: 'ThingHappened', data: '{}', meta: '{}' }))
  for (let n = 0; n < 9; n++) await store.append(`thing-${crypto.randomUUID()}`, 'no_stream', events())
  const { commit } = await store.head()
  start({ heads: { everyMs: 3_600_000, everyEvents: 2_000 } })
  const sizesSigned = async () =>
    (await db.pool.query<{ size: bigint }>('select size from proof.head order by size')).rows.map(({ size }) => Number(size))
  await expect.poll(async () => (await db.pool.query<{ size: bigint }>('select size from proof.tree')).rows[0]?.size).toBe(commit)
  expect(await sizesSigned()).toEqual([2_000, 4_000])
  for (const stop of stops.splice(0)) await stop()

  // Made anew, the tree has first to reach the newest head again: that is no contradiction.
  await db.pool.query('truncate proof.tree, proof.tile')
  const faults: unknown[] = []
  start({ heads: { everyMs: 0, everyEvents: 1 }, onFault: (error) => faults.push(error) })
  await expect.poll(sizes).toEqual([Number(commit), false])
  expect(faults).toEqual([])
})
