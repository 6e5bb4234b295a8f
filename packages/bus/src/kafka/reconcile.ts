import { comparePositions, START } from '@tidings/event-store'
import { transaction } from '@tidings/postgres'
import { redriveMarked } from '../redrive.ts'
import { handleFromLog } from './from-log.ts'
import { ensurePositions, type Member, report } from './member.ts'
import { isTrue, publishedBy, reached, Taken } from './membership.ts'
import { cursorOf, type Targets } from './partition-cursor.ts'

/** How often a member reconciles. */
export const RECONCILE_MS = 2_000
/** A partition that was published to and delivers nothing for so long is read from the log. */
const SILENT_MS = 10_000
/** After so long the member is replaced: the client can lose a partition without an error (kafkajs #1616). */
const DEAD_MS = 60_000
/** How much of the log one reconciliation reads, some seconds: batches that wait meanwhile send no heartbeat. */
const PAGES = 10

/**
 * Does what no record triggers: moves partitions that have nothing new to the relay's position, reads from the log what was published to
 * partitions that stay silent (retention, a lost topic, a stuck client), and redrives marked dead letters. True when there is more to read.
 */
export async function reconcile(member: Member): Promise<boolean> {
  const { reading, membership, assigned, lastReceivedAt } = member
  // Postgres may have lost its last commits.
  if (member.known && !(await isTrue(reading.pool, membership))) member.known = false
  await ensurePositions(member)
  const published = await publishedBy(reading.pool, membership)
  if (published === null) throw new Taken(membership.group)
  const isBehind = (partition: number) => comparePositions(published.last[partition] ?? START, reached(membership, partition)) > 0
  await passQuiet(
    member,
    new Map(assigned.map((partition) => [partition, isBehind(partition) ? reached(membership, partition) : published.at])),
  )
  const silence = (partition: number) => performance.now() - (lastReceivedAt.get(partition) ?? 0)
  const silent = assigned.filter((partition) => isBehind(partition) && silence(partition) > SILENT_MS)
  const through =
    silent.length === 0 || (await readSilent(member, new Map(silent.map((partition) => [partition, published.last[partition] ?? START]))))
  await redriveMarked(reading)
  member.behind = assigned.some(isBehind)
  report(member, undefined)
  if (silent.length > 0 && silent.every((partition) => silence(partition) > DEAD_MS))
    throw new DeadMember(`${membership.group} has received nothing from ${silent.length} partitions for a minute; it joins again`)
  return !through
}

/**
 * Writes down how far the member is where nothing concerned the consumer: others see by it how far the group is, and campaigns begin messages
 * only while the senders are not far behind.
 */
export async function writePassed(member: Member): Promise<void> {
  const { known, membership } = member
  if (!known || membership.passed.size === 0) return
  await passQuiet(member, membership.passed)
  membership.passed.clear()
}

/** The member must be replaced. */
export class DeadMember extends Error {
  override readonly name = 'DeadMember'
}

async function passQuiet({ reading, membership }: Member, to: Targets): Promise<void> {
  const further = [...to].filter(([partition, place]) => comparePositions(place, membership.at[partition] ?? START) > 0)
  if (further.length === 0) return
  const end = further.map(([, place]) => place).reduce((a, b) => (comparePositions(a, b) >= 0 ? a : b))
  const cursor = cursorOf(membership, new Map(further))
  await transaction(reading.pool, (tx) => cursor.move(tx, end))
  cursor.moved(end)
}

async function readSilent({ reading, membership }: Member, targets: Targets): Promise<boolean> {
  const partitions = [...targets.keys()].join(', ')
  reading.onFault?.(
    new Error(`${membership.topic} does not deliver what partition ${partitions} was given: ${membership.group} reads it from the log`),
  )
  return await handleFromLog(reading, membership, { targets, pages: PAGES })
}
