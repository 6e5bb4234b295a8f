import { pause } from '@tidings/async'
import type { DecodedBatch, TypeFilter } from '@tidings/codec'
import type { Position } from '@tidings/event-store'
import type { Admin, Consumer as Client } from 'kafkajs'
import type { Pool } from 'pg'
import { handledUpTo } from '../../checkpoint.ts'
import { brokenAt } from '../../set-aside.ts'
import { unknownIn } from '../../unknown-event.ts'
import { createClient } from '../client.ts'
import type { KafkaSettings } from '../settings.ts'
import type { Reader } from './member.ts'

type Committing = Readonly<{
  client: Readonly<{ commitOffsets: Client['commitOffsets'] }>
  topic: string
  readers: ReadonlySet<Reader>
  groups: readonly string[]
}>

/** The records that a group may be behind and that are given to all once more; a group that fails for hours has its events from the log. */
const MOST_AGAIN = 50_000n

/** The least of some offsets, but for those that are further than that behind the last. */
function leastNear(offsets: readonly bigint[], last: bigint, mostAgain = MOST_AGAIN): bigint {
  return inOrder(offsets).find((offset) => last - offset <= mostAgain) ?? last
}

/** Sorted from the least. */
function inOrder(offsets: readonly bigint[]): readonly bigint[] {
  return offsets.toSorted((a, b) => (a < b ? -1 : 1))
}

/**
 * Commits the offsets that all groups of the process have handled. Positions in Postgres decide what is handled: offsets only say where the next
 * member begins to fetch. So a commit that fails costs some records that are dropped, and there is none while a group is missing: it would not
 * be given what it has not handled.
 */
export function commitHandled({ client, topic, readers, groups }: Committing): void {
  const present = new Set([...readers].map(({ member }) => member.membership.group))
  if (!groups.every((group) => present.has(group))) return
  const offsets = handledByAll([...readers])
  if (offsets.size === 0) return
  const handled = [...offsets].map(([partition, offset]) => ({ topic, partition, offset: String(offset) }))
  client.commitOffsets(handled).catch(() => undefined)
}

const handledByAll = (readers: readonly Reader[]): ReadonlyMap<number, bigint> => {
  const feeds = readers.map(({ member }) => member.feed)
  const offsets = new Map<number, bigint>()
  for (const [partition, given] of feeds[0]?.given ?? []) {
    const each = feeds.map(({ handled }) => handled.get(partition))
    if (each.includes(undefined)) continue
    const handled = each.filter((offset) => offset !== undefined)
    offsets.set(partition, leastNear(handled, given))
  }
  return offsets
}

/** `mostAgain`: so many records one group may be behind another, and have all given them once more. */
type Seeding = Readonly<{
  kafka: KafkaSettings
  topic: string
  groupId: string
  groups: readonly string[]
  signal: AbortSignal
  mostAgain?: bigint
}>
type OffsetSource = Readonly<{
  pool: Pool
  log: Readonly<{ readAll: (after: Position | 'start', limit: number, filter?: TypeFilter) => Promise<DecodedBatch> }>
}>

/** Offsets by partition. */
export type Offsets = ReadonlyMap<number, string>

const NONE: Offsets = new Map()

/** Clocks of those that write to the log differ, and so the times of its events go back at times. Events before it are read from the log. */
const EARLIER_MS = 60_000
/** The client does not retry these questions, and a coordinator that loads answers none. */
const TRIES = 3
const BETWEEN_MS = 300

/**
 * A new group of Kafka (there is one after an upgrade) begins where the slowest of its groups is. The start of the topic may lie a week back.
 * A group that is very far behind does not count, because it reads the log. The result is a hint, as all offsets are. It is empty when
 * Kafka knows the group already, or does not answer.
 */
export async function seedOffsets({ kafka, ...seeding }: Seeding, from: OffsetSource): Promise<Offsets> {
  const admin = createClient(kafka).admin()
  await admin.connect()
  try {
    for (let tries = 1; tries <= TRIES && !seeding.signal.aborted; tries++) {
      const offsets = await offsetsOf(admin, seeding, from).catch(() => null)
      if (offsets !== null) return offsets
      await pause(BETWEEN_MS, seeding.signal)
    }
    return NONE
  } finally {
    await admin.disconnect().catch(() => undefined)
  }
}

async function offsetsOf(
  admin: Admin,
  { topic, groupId, groups, mostAgain }: Omit<Seeding, 'kafka'>,
  from: OffsetSource,
): Promise<Offsets> {
  const [known] = await admin.fetchOffsets({ groupId, topics: [topic] })
  if (known === undefined || known.partitions.some(({ offset }) => offset !== '-1')) return NONE
  const found = await Promise.all(
    (await timesOfNext(from, groups)).map((time) => admin.fetchTopicOffsetsByTimestamp(topic, time - EARLIER_MS)),
  )
  const byPartition = Map.groupBy(found.flat(), ({ partition }) => partition)
  return new Map(
    [...byPartition].map(([partition, each]) => {
      const offsets = inOrder(each.map(({ offset }) => BigInt(offset)))
      return [partition, String(leastNear(offsets, offsets.at(-1) ?? 0n, mostAgain))]
    }),
  )
}

/** The times of the first events that groups have not handled, in ms since 1970. */
async function timesOfNext({ pool, log }: OffsetSource, groups: readonly string[]): Promise<readonly number[]> {
  const positions = await Promise.all(groups.map((group) => handledUpTo(pool, group)))
  // 0 is a group that is not there yet: what it needs before, it reads from the log.
  const known = new Set(positions.filter((position) => position !== 0n))
  const times = await Promise.all([...known].map(async (position) => (await timeOfNext(log, position)) ?? Date.now()))
  return [...new Set(times)]
}

/** The time of the first event behind a place of the log that can be decoded, in ms since 1970; null where there is none. */
export async function timeOfNext(
  log: Readonly<{ readAll: (after: Position | 'start', limit: number, filter?: TypeFilter) => Promise<DecodedBatch> }>,
  position: bigint,
): Promise<number | null> {
  for (let from: Position | 'start' = position < 0n ? 'start' : { commit: position, prepare: position }; ; ) {
    try {
      const [next] = (await log.readAll(from, 1)).events
      return next === undefined ? null : Date.parse(next.created)
    } catch (error) {
      const position = brokenAt(error, []) ?? unknownIn(error)?.position
      if (!position) throw error
      from = position
    }
  }
}
