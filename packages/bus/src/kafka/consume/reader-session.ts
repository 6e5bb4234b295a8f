import type { Consumer as Client } from 'kafkajs'
import { groupIdOf, type KafkaSettings } from '../settings.ts'
import { commitHandled } from './commit-handled.ts'
import { deliver, type Reader } from './deliver.ts'
import { assign, type Member } from './member.ts'
import { type Offsets, seedOffsets } from './seed-offsets.ts'
import { createTopicClient, joinGroup, leaveGroup } from './topic-client.ts'

/** `expected`: the groups of this process, and the types that each asks for. `after`: the session before this one has ended then. */
export type SessionOptions = Readonly<{
  kafka: KafkaSettings
  expected: ReadonlyMap<string, readonly string[]>
  after: Promise<void>
}>

/** `started` resolves when the process has joined, or cannot. `remove` answers whether it was the last. */
export type ReaderSession = Readonly<{
  started: Promise<void>
  hasFailed: () => boolean
  add: (reader: Reader) => void
  remove: (reader: Reader) => boolean
  moved: () => void
  fail: (error: unknown) => void
  end: () => Promise<void>
}>

const COMMIT_MS = 2_000
/** How often a delivery that waits is looked at while nothing moves. */
const LOOK_MS = 250

/** The process as one member of a group of Kafka, from its first reader to the end, or to an error of the client. */
export function openSession({ kafka, expected, after }: SessionOptions, first: Member): ReaderSession {
  const { topic, at } = first.membership
  const readers = new Set<Reader>()
  const ending = new AbortController()
  const { signal } = ending
  const groupId = groupIdOf(kafka, expected)
  const client = createTopicClient(kafka, groupId)
  let assigned: readonly number[] | null = null
  let seeds: Offsets = new Map()
  let failed = false
  let move = Promise.withResolvers<void>()
  const moved = (): void => {
    move.resolve()
    move = Promise.withResolvers()
  }
  const fail = (error: unknown): void => {
    failed = true
    for (const { leave } of readers) leave(error)
  }
  client.on(client.events.GROUP_JOIN, ({ payload }) => {
    assigned = payload.memberAssignment[topic] ?? []
    for (const { member } of readers) assign(member, assigned)
    beginAt(client, topic, { seeds, assigned })
    seeds = new Map()
  })
  client.on(client.events.CRASH, ({ payload }) => fail(payload.error))
  const wanted = new Set([...expected.values()].flat())
  const delivering = { readers, wanted, nextMove: () => move.promise, ending: signal }
  const start = async (): Promise<void> => {
    await after
    if (signal.aborted) return
    seeds = await seedOffsets({ kafka, topic, groupId, groups: [...expected.keys()] }, first.reading)
    await joinGroup(client, { topic, partitions: at.length, ending: signal, eachBatch: (payload) => deliver(delivering, payload) })
  }
  const timers = [
    setInterval(moved, LOOK_MS),
    setInterval(() => commitHandled({ client, topic, readers, expected: expected.size }), COMMIT_MS),
  ]
  return {
    started: start().catch(fail),
    hasFailed: () => failed,
    moved,
    fail,
    add: (reader) => {
      readers.add(reader)
      if (assigned === null) return
      assign(reader.member, assigned)
      reader.member.isLate = true
    },
    remove: (reader) => readers.delete(reader) && readers.size === 0,
    end: async () => {
      ending.abort()
      moved()
      for (const timer of timers) clearInterval(timer)
      await leaveGroup(client)
    },
  }
}

/** Committed too: if the group rebalances within moments, the next member begins there as well. */
function beginAt(client: Client, topic: string, { seeds, assigned }: Readonly<{ seeds: Offsets; assigned: readonly number[] }>): void {
  const offsets = [...seeds]
    .filter(([partition]) => assigned.includes(partition))
    .map(([partition, offset]) => ({ topic, partition, offset }))
  if (offsets.length === 0) return
  for (const offset of offsets) client.seek(offset)
  client.commitOffsets(offsets).catch(() => undefined)
}
