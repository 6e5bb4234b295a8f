import { unlessAborted } from '@tidings/async'
import { groupIdOf, type KafkaSettings } from '../settings.ts'
import { commitHandled } from './commit-handled.ts'
import { deliver } from './deliver.ts'
import { assign, type Member, type Reader, report } from './member.ts'
import { type Offsets, seedOffsets } from './seed-offsets.ts'
import { createTopicClient, joinGroup, leaveGroup } from './topic-client.ts'

/** `expected`: the groups of this process, and the types that each asks for. `after`: the sessions before this one have ended then. */
export type SessionOptions = Readonly<{
  kafka: KafkaSettings
  expected: ReadonlyMap<string, readonly string[]>
  after: Promise<unknown>
}>

/** `started` resolves when the process has joined, or cannot. `remove` answers whether it was the last. `fail`: the client must be replaced. */
export type ReaderSession = Readonly<{
  started: Promise<void>
  hasEnded: () => boolean
  add: (reader: Reader) => void
  remove: (reader: Reader) => boolean
  moved: () => void
  fail: (error: unknown) => void
  end: () => Promise<void>
}>

const COMMIT_MS = 2_000
/** How often a delivery that waits is looked at while nothing moves. */
const LOOK_MS = 250
/** Rounds of a reader that came after the first records. */
const LATE_ROUNDS = 2

/** The process as one member of a group of Kafka, from its first reader to the end, or to an error of the client. */
export function openSession({ kafka, expected, after }: SessionOptions, first: Member): ReaderSession {
  const { topic, at } = first.membership
  const groups = [...expected.keys()]
  const groupId = groupIdOf(kafka, expected)
  const client = createTopicClient(kafka, groupId)
  const readers = new Set<Reader>()
  const ending = new AbortController()
  const { signal } = ending
  let assigned: readonly number[] | null = null
  let seeds: Offsets = new Map()
  let joining: Promise<void> = Promise.resolve()
  let closing: Promise<void> | undefined
  let move = Promise.withResolvers<void>()
  const moved = (): void => {
    move.resolve()
    move = Promise.withResolvers()
  }
  const end = (): Promise<void> => {
    ending.abort()
    moved()
    for (const timer of timers) clearInterval(timer)
    closing ??= leaveGroup(client, joining)
    return closing
  }
  const fail = (error: unknown): void => {
    if (signal.aborted) return
    // The client is closed at once: a reader that hangs would keep it, and its partitions, from the next session.
    end().catch(() => undefined)
    for (const { leave } of readers) leave(error)
  }
  const seedsIn = (partitions: readonly number[]) =>
    partitions.flatMap((partition) => {
      const offset = seeds.get(partition)
      return offset === undefined ? [] : [{ topic, partition, offset }]
    })
  client.on(client.events.GROUP_JOIN, ({ payload }) => {
    if (signal.aborted) return
    assigned = payload.memberAssignment[topic] ?? []
    for (const { member } of readers) assign(member, assigned)
    for (const offset of seedsIn(assigned)) client.seek(offset)
  })
  client.on(client.events.CRASH, ({ payload }) => fail(payload.error))
  const wanted = new Set([...expected.values()].flat())
  const delivering = { readers, wanted, nextMove: () => move.promise, ending: signal }
  const onJoining = (join: Promise<void>) => {
    joining = join
  }
  const start = async (): Promise<void> => {
    await unlessAborted(after, signal)
    if (signal.aborted) return
    seeds = (await unlessAborted(seedOffsets({ kafka, topic, groupId, groups, signal }, first.reading), signal)) ?? seeds
    if (signal.aborted) return
    const eachBatch = (payload: Parameters<typeof deliver>[1]) => deliver(delivering, payload)
    await joinGroup(client, { topic, partitions: at.length, ending: signal, eachBatch, onJoining })
    // The client commits nothing before it has joined. The next member begins there too, if the group rebalances within moments.
    const begun = seedsIn(assigned ?? [])
    if (begun.length > 0 && !signal.aborted) client.commitOffsets(begun).catch(() => undefined)
    seeds = new Map()
  }
  const look = (): void => {
    if (assigned !== null) for (const { member } of readers) report(member)
    moved()
  }
  const timers = [setInterval(look, LOOK_MS), setInterval(() => commitHandled({ client, topic, readers, groups }), COMMIT_MS)]
  return {
    started: start().catch(fail),
    hasEnded: () => signal.aborted,
    moved,
    fail,
    add: (reader) => {
      readers.add(reader)
      if (assigned === null) return
      assign(reader.member, assigned)
      reader.member.lateRounds = LATE_ROUNDS
    },
    remove: (reader) => readers.delete(reader) && readers.size === 0,
    end,
  }
}
