import { pause } from '@tidings/async'
import type { EventLog } from '@tidings/codec'
import type { Admin } from 'kafkajs'
import type { Pool } from 'pg'
import { handledUpTo } from '../../handled-up-to.ts'
import { createClient } from '../client.ts'
import type { KafkaSettings } from '../settings.ts'
import { inOrder, leastNear } from './commit-handled.ts'
import { timeOfNext } from './time-of-next.ts'

/** `mostAgain`: so many records one group may be behind another, and have all given them once more. */
type Seeding = Readonly<{
  kafka: KafkaSettings
  topic: string
  groupId: string
  groups: readonly string[]
  signal: AbortSignal
  mostAgain?: bigint
}>
type From = Readonly<{ pool: Pool; log: Pick<EventLog, 'readAll'> }>

/** Offsets by partition. */
export type Offsets = ReadonlyMap<number, string>

const NONE: Offsets = new Map()

/** Clocks of those that write to the log differ, and so the times of its events go back at times. What is before is read from the log. */
const EARLIER_MS = 60_000
/** The client does not retry these questions, and a coordinator that loads answers none. */
const TRIES = 3
const BETWEEN_MS = 300

/**
 * Where a group of Kafka that is new, as after an upgrade, is to begin: where the slowest of its groups is, and not at the start of the topic, which
 * may hold a week. One that is very far behind, as one that is to have the log from its start, does not count: it has its events from the log. A
 * hint, as all offsets are; none where the group is known, or where that cannot be found out.
 */
export async function seedOffsets({ kafka, ...seeding }: Seeding, from: From): Promise<Offsets> {
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

async function offsetsOf(admin: Admin, { topic, groupId, groups, mostAgain }: Omit<Seeding, 'kafka'>, from: From): Promise<Offsets> {
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
async function timesOfNext({ pool, log }: From, groups: readonly string[]): Promise<readonly number[]> {
  const places = await Promise.all(groups.map((group) => handledUpTo(pool, group)))
  // 0 is a group that is not there yet: what it needs before, it reads from the log.
  const known = new Set(places.filter((place) => place !== 0n))
  const times = await Promise.all([...known].map(async (place) => (await timeOfNext(log, place)) ?? Date.now()))
  return [...new Set(times)]
}
