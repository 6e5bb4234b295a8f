import { createEventLog, memoryKeyRing } from '@tidings/codec'
import { memoryEventStore } from '@tidings/event-store/memory'
import { createPool } from '@tidings/postgres'
import { afterAll, expect, test } from 'vitest'
import { assign, createMember, type Member, type Reader } from '../../../src/kafka/consume/member.ts'
import { commitHandled } from '../../../src/kafka/consume/offsets.ts'
import { deliver } from '../../../src/kafka/consume/topic-reader.ts'

// Nothing asks it.
const pool = createPool({ url: 'postgres://127.0.0.1:1/none', max: 1, name: 'none' })
const log = createEventLog({ store: memoryEventStore(), declarations: {}, upcasters: [], keyRing: memoryKeyRing() })
afterAll(() => pool.end())
const START = { commit: -1n, prepare: -1n }

const memberOf = (group: string): Member => {
  const consumer = { group, types: [], handle: async () => undefined }
  const reading = { consumer, log, pool, signal: new AbortController().signal }
  const membership = { group, topic: 't', relay: 'r', epoch: 1n, at: [START, START], passed: new Map() }
  const tally = { position: null, caughtUp: false, lagSeconds: 0, lagEvents: null, unknown: null }
  const member = createMember({ reading, membership, tally, maxBatch: 100 })
  assign(member, [0, 1])
  return member
}
const readerOf = (member: Member): Reader => ({ member, work: () => undefined, leave: () => undefined })
const message = (offset: number) => ({ offset: String(offset), key: null, value: null, timestamp: '0', attributes: 0, headers: {} })

test('resolves nothing where the partitions were assigned anew before it was taken', async () => {
  const member = memberOf('a')
  member.isWorking = true
  const resolved: string[] = []
  const move = Promise.withResolvers<void>()
  const payload = {
    batch: { partition: 0, messages: [message(7)], highWatermark: '8' },
    resolveOffset: (offset: string) => resolved.push(offset),
    heartbeat: async () => undefined,
    isRunning: () => true,
    isStale: () => false,
  }
  const { signal } = new AbortController()
  const done = deliver({ readers: new Set([readerOf(member)]), wanted: new Set(), nextMove: () => move.promise, ending: signal }, payload)
  expect(member.feed.untaken).toHaveLength(1)
  assign(member, [0])
  move.resolve()
  await done
  expect(resolved).toEqual([])
})

test.each([
  ['is as far as the slowest has handled', { handled: 40n, given: 50n }, '40'],
  ['leaves out one that is very far behind, which has its events from the log', { handled: 40n, given: 90_000n }, '90000'],
])('what is committed %s', async (_, { handled, given }, committed) => {
  const [well, slow] = [memberOf('well'), memberOf('slow')]
  for (const { feed } of [well, slow]) feed.given.set(0, given)
  well.feed.handled.set(0, given)
  slow.feed.handled.set(0, handled)
  // What only one was given yet.
  well.feed.given.set(1, 5n)
  well.feed.handled.set(1, 5n)
  const commits: unknown[] = []
  const client = { commitOffsets: async (offsets: unknown) => void commits.push(offsets) }
  const readers = new Set([well, slow].map(readerOf))
  commitHandled({ client, topic: 't', readers, groups: ['well', 'slow', 'gone'] })
  expect(commits).toEqual([])
  commitHandled({ client, topic: 't', readers, groups: ['well', 'slow'] })
  expect(commits).toEqual([[{ topic: 't', partition: 0, offset: committed }]])
})
