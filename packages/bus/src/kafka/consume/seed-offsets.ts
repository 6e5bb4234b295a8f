import type { EventLog } from '@tidings/codec'
import type { Pool } from 'pg'
import { handledUpTo } from '../../handled-up-to.ts'
import { createClient } from '../client.ts'
import type { KafkaSettings } from '../settings.ts'

type Seeding = Readonly<{ kafka: KafkaSettings; topic: string; groupId: string; groups: readonly string[] }>
type From = Readonly<{ pool: Pool; log: Pick<EventLog, 'readAll'> }>

/** By partition. */
export type Offsets = ReadonlyMap<number, string>

const NONE: Offsets = new Map()

/** Clocks of those that write to the log differ, and so the times of its events go back at times. What is before is read from the log. */
const EARLIER_MS = 60_000

/**
 * Where a group of Kafka that is new, as after an upgrade, is to begin: where the slowest of its groups is, and not at the start of the topic, which
 * may hold a week. A hint, as all offsets are; none where the group is known.
 */
export async function seedOffsets({ kafka, topic, groupId, groups }: Seeding, { pool, log }: From): Promise<Offsets> {
  const admin = createClient(kafka).admin()
  await admin.connect()
  try {
    const [known] = await admin.fetchOffsets({ groupId, topics: [topic] })
    if (known === undefined || known.partitions.some(({ offset }) => offset !== '-1')) return NONE
    const since = await timeOfNext({ pool, log }, groups)
    if (since === null) return NONE
    const found = await admin.fetchTopicOffsetsByTimestamp(topic, since - EARLIER_MS)
    return new Map(found.map(({ partition, offset }) => [partition, offset]))
  } finally {
    await admin.disconnect()
  }
}

/** The time of the first event that one of the groups has not handled, in ms since 1970; null where one is at the start of the log. */
async function timeOfNext({ pool, log }: From, groups: readonly string[]): Promise<number | null> {
  const places = await Promise.all(groups.map((group) => handledUpTo(pool, group)))
  const slowest = places.toSorted((a, b) => (a < b ? -1 : 1))[0] ?? 0n
  if (slowest <= 0n) return null
  const { events } = await log.readAll({ commit: slowest, prepare: slowest }, 1)
  const [next] = events
  return next === undefined ? Date.now() : Date.parse(next.created)
}
