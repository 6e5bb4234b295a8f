import { unlessAborted } from '@tidings/async'
import type { Batch, Consumer as Client, EachBatchPayload } from 'kafkajs'
import pTimeout from 'p-timeout'
import { createClient, RETRY } from '../client.ts'
import { groupIdOf, type KafkaSettings } from '../settings.ts'
import { type Delivery, deliveriesOf, type Feed, give, leaveBehind } from './feed.ts'
import { assign, type Member, type Reader, report } from './member.ts'
import { commitHandled, type Offsets, seedOffsets } from './offsets.ts'

/** A reader's part in a session. `fail`: the client must be replaced. `leave`: with its last reader the process leaves the group. */
export type Joined = Readonly<{
  started: Promise<void>
  moved: () => void
  fail: (error: unknown) => void
  leave: () => Promise<void>
}>

/**
 * Reads the topic once for all groups of the process, which is one member of one group of Kafka: the partitions of the process are those of all
 * its groups. `expect` says that a group of this process will join; calling its result takes that back.
 */
export type TopicReader = Readonly<{
  expect: (group: string, types: readonly string[]) => () => void
  join: (reader: Reader) => Joined
}>

export function createTopicReader(kafka: KafkaSettings): TopicReader {
  const expected = new Map<string, readonly string[]>()
  let current: ReaderSession | null = null
  let after: Promise<unknown> = Promise.resolve()
  const leaveSession = (session: ReaderSession): Promise<void> => {
    if (current === session) current = null
    const ended = session.end()
    after = Promise.allSettled([after, ended])
    return ended
  }
  return {
    expect: (group, types) => {
      expected.set(group, types)
      return () => expected.delete(group)
    },
    join: (reader) => {
      if (current?.hasEnded()) leaveSession(current)
      current ??= openSession({ kafka, expected, after }, reader.member)
      const session = current
      session.add(reader)
      const { started, moved, fail } = session
      const leave = async (): Promise<void> => {
        if (session.remove(reader)) await leaveSession(session)
      }
      return { started, moved, fail, leave }
    },
  }
}

/** `expected`: the groups of this process, and the types that each asks for. `after`: the sessions before this one have ended then. */
type SessionOptions = Readonly<{
  kafka: KafkaSettings
  expected: ReadonlyMap<string, readonly string[]>
  after: Promise<unknown>
}>

/** `started` resolves when the process has joined, or cannot. `remove` answers whether it was the last. `fail`: the client must be replaced. */
type ReaderSession = Readonly<{
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
function openSession({ kafka, expected, after }: SessionOptions, first: Member): ReaderSession {
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

/** Leaving the group may take this long. Without leaving, the group waits for the end of the member's session, 10 s. */
const LEAVE_MS = 3_000

/**
 * A member of a group of Kafka. The client fetches for 250 ms at a time, because it sends heartbeats between fetches only: that bounds how long joins
 * and leaves take. It never restarts by itself: a consumer that disconnects during a restart joins again a second later.
 */
function createTopicClient(kafka: KafkaSettings, groupId: string): Client {
  return createClient(kafka).consumer({
    groupId,
    allowAutoTopicCreation: false,
    maxWaitTimeInMs: 250,
    heartbeatInterval: 1_000,
    sessionTimeout: 10_000,
    rebalanceTimeout: 15_000,
    retry: { ...RETRY, restartOnFailure: async () => false },
  })
}

type Joining = Readonly<{
  topic: string
  partitions: number
  ending: AbortSignal
  eachBatch: (payload: EachBatchPayload) => Promise<void>
  /** Hears of the join before it is through. */
  onJoining: (joining: Promise<void>) => void
}>

/** Joins the group. If it is to end by then, it leaves again: the client itself would stay in the group for ever. */
async function joinGroup(client: Client, { topic, partitions, ending, eachBatch, onJoining }: Joining): Promise<void> {
  await client.connect()
  if (!ending.aborted) await client.subscribe({ topics: [topic], fromBeginning: true })
  // A commit of offsets a partition and fetch is as many requests as fetches: they are committed every two seconds.
  const run = { autoCommit: false, eachBatchAutoResolve: false, partitionsConsumedConcurrently: partitions }
  if (!ending.aborted) {
    const joining = client.run({ ...run, eachBatch })
    onJoining(joining)
    await joining
  }
  if (ending.aborted) await client.disconnect()
}

/** Stops only after it has joined: otherwise the client would stay in the group for its session. Rejects if a broker does not answer. */
async function leaveGroup(client: Client, joining: Promise<void>): Promise<void> {
  const leaving = joining.catch(() => undefined).then(() => client.disconnect())
  leaving.catch(() => undefined)
  await pTimeout(leaving, { milliseconds: LEAVE_MS })
}

/** `wanted`: the types that any of the groups asks for. `nextMove`: resolves when a reader has taken something or is idle, and now and then. */
type Delivering = Readonly<{
  readers: ReadonlySet<Reader>
  wanted: ReadonlySet<string>
  nextMove: () => Promise<void>
  ending: AbortSignal
}>

/** What the client says of a fetch, and asks about it. */
type Payload = Pick<EachBatchPayload, 'resolveOffset' | 'heartbeat' | 'isRunning' | 'isStale'> &
  Readonly<{ batch: Pick<Batch, 'partition' | 'messages' | 'highWatermark'> }>

/** Events read at once; the event loop is free in between. */
const PORTION = 1_000
/** A group may keep others waiting that have nothing to do for this long. */
const LEAVE_BEHIND_MS = 500

/**
 * Gives what the client fetched from one partition to all groups, and waits until they have taken it: one portion is handled, one waits, and the
 * client fetches no more. The client calls it for all partitions at once. A group that is slow or fails is left behind after half a second, if another
 * one has nothing to do: none waits for another. Only the error of a heartbeat is thrown, which tells the client that its group rebalances.
 */
export async function deliver(delivering: Delivering, payload: Payload): Promise<void> {
  const { batch, resolveOffset, heartbeat, isRunning, isStale } = payload
  for (const delivery of deliveriesOf(batch, delivering.wanted, PORTION)) {
    const given = [...delivering.readers].map((reader) => giveTo(reader, delivery))
    await untilTaken(delivering, delivery, heartbeat)
    // Assigned anew meanwhile: offsets of the assignment before say nothing in this one.
    if (given.some(({ member, feed }) => member.feed !== feed)) return
    resolveOffset(String(delivery.next - 1n))
    await heartbeat()
    if (!isRunning() || isStale()) return
  }
}

function giveTo({ member, work }: Reader, delivery: Delivery): Readonly<{ member: Member; feed: Feed }> {
  const { feed, membership } = member
  give(feed, delivery, membership.relay)
  member.lastReceivedAt.set(delivery.partition, performance.now())
  member.rescues.delete(delivery.partition)
  report(member)
  work()
  return { member, feed }
}

async function untilTaken({ readers, nextMove, ending }: Delivering, delivery: Delivery, heartbeat: () => Promise<void>): Promise<void> {
  for (let blockedSince: number | null = null; !ending.aborted; ) {
    const owing = [...readers].filter(({ member }) => member.feed.untaken.includes(delivery))
    if (owing.length === 0) return
    const isBlocked = [...readers].some(({ member }) => !member.isWorking)
    blockedSince = isBlocked ? (blockedSince ?? performance.now()) : null
    if (blockedSince !== null && performance.now() - blockedSince > LEAVE_BEHIND_MS) {
      for (const { member } of owing) leaveBehind(member.feed, member.membership.relay)
      return
    }
    await nextMove()
    await heartbeat()
  }
}
