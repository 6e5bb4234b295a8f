import { pause } from '@tidings/async'
import type { EventLog } from '@tidings/codec'
import type { Admin } from 'kafkajs'
import type { Pool } from 'pg'
import { handledUpTo } from '../../handled-up-to.ts'
import { createClient } from '../client.ts'
import type { KafkaSettings } from '../settings.ts'
import { timeOfNext } from './time-of-next.ts'

type Seeding = Readonly<{ kafka: KafkaSettings; topic: string; groupId: string; groups: readonly string[]; signal: AbortSignal }>
type From = Readonly<{ pool: Pool; log: Pick<EventLog, 'readAll'> }>

/** By partition. */
export type Offsets = ReadonlyMap<number, string>

const NONE: Offsets = new Map()

/** Clocks of those that write to the log differ, and so the times of its events go back at times. What is before is read from the log. */
const EARLIER_MS = 60_000
/** The client does not retry these questions, and a coordinator that loads answers none. */
const TRIES = 3
const BETWEEN_MS = 300

/**
 * Where a group of Kafka that is new, as after an upgrade, is to begin: where the slowest of its groups is, and not at the start of the topic, which
 * may hold a week. A hint, as all offsets are; none where the group is known, or where that cannot be found out.
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

async function offsetsOf(admin: Admin, { topic, groupId, groups }: Omit<Seeding, 'kafka'>, from: From): Promise<Offsets> {
  const [known] = await admin.fetchOffsets({ groupId, topics: [topic] })
  if (known === undefined || known.partitions.some(({ offset }) => offset !== '-1')) return NONE
  const since = await timeOfSlowest(from, groups)
  if (since === null) return NONE
  const found = await admin.fetchTopicOffsetsByTimestamp(topic, since - EARLIER_MS)
  return new Map(found.map(({ partition, offset }) => [partition, offset]))
}

/** The time of the first event that one of the groups has not handled, in ms since 1970; null where one is at the start of the log. */
async function timeOfSlowest({ pool, log }: From, groups: readonly string[]): Promise<number | null> {
  const places = await Promise.all(groups.map((group) => handledUpTo(pool, group)))
  // 0 is a group that is not there yet: what it needs before, it reads from the log.
  const [slowest] = places.filter((place) => place !== 0n).toSorted((a, b) => (a < b ? -1 : 1))
  if (slowest === undefined || slowest < 0n) return null
  return (await timeOfNext(log, slowest)) ?? Date.now()
}
