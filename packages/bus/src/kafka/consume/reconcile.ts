import { comparePositions, laterPosition, type Position, START } from '@tidings/event-store'
import { transaction } from '@tidings/postgres'
import { redriveMarked } from '../../redrive.ts'
import { isThrough } from './feed.ts'
import { handleFromLog } from './from-log.ts'
import { ensurePositions, type Member, report } from './member.ts'
import { DeadMember, GroupTaken, isTrue, publishedBy, reached } from './membership.ts'
import { cursorOf, type Targets } from './partition-cursor.ts'

/** How often a member reconciles. */
export const RECONCILE_MS = 2_000
/** A partition that was published to and delivers nothing for so long is read from the log. */
const SILENT_MS = 10_000
/**
 * The client can lose a partition without an error (kafkajs #1616), so it is replaced after this time, and after the log had to be read
 * this often. One read of the log is normal: a group that fell back, for example after a restore, needs it.
 */
const DEAD_MS = 60_000
const DEAD_RESCUES = 3
/** How much of the log one reconciliation reads, some seconds: what was given waits meanwhile. */
const PAGES = 10

/**
 * Does what no record triggers: moves partitions that have nothing new to the relay's position, reads from the log what was published to
 * partitions that stay silent (retention, a lost topic, a stuck client), and redrives marked dead letters. True when there is more to read.
 */
export async function reconcile(member: Member): Promise<boolean> {
  const { reading, membership, assigned } = member
  // Postgres may have lost its last commits.
  if (member.known && !(await isTrue(reading.pool, membership, assigned))) member.known = false
  await ensurePositions(member)
  const published = await publishedBy(reading.pool, membership)
  if (published === null) throw new GroupTaken(membership.group)
  const isBehind = (partition: number) => comparePositions(published.last[partition] ?? START, reached(membership, partition)) > 0
  await passQuiet(
    member,
    new Map(assigned.map((partition) => [partition, isBehind(partition) ? reached(membership, partition) : published.at])),
  )
  const through = await readUndelivered(member, assigned.filter(isBehind), published.last)
  await redriveMarked(reading)
  member.behind = assigned.some(isBehind)
  report(member)
  return !through
}

/**
 * A late member does not get what was published before it came; the second round finds what the relay had sent and not noted by then. Events that no
 * partition of a member delivers for long will not come: its client has lost them, and must be replaced.
 */
async function readUndelivered(member: Member, behind: readonly number[], last: readonly Position[]): Promise<boolean> {
  const { reading, membership, rescues } = member
  const read = async (partitions: readonly number[]): Promise<boolean> => {
    const targets = new Map(partitions.map((partition) => [partition, last[partition] ?? START]))
    return targets.size === 0 || (await handleFromLog(reading, membership, { targets, pages: PAGES }))
  }
  if (member.lateRounds > 0) {
    const through = await read(behind)
    if (through) member.lateRounds -= 1
    return through
  }
  const silent = behind.filter((partition) => isSilent(member, partition, SILENT_MS))
  if (silent.length === 0) return true
  const { topic, group } = membership
  reading.onFault?.(new Error(`${topic} does not deliver what partition ${silent.join(', ')} was given: ${group} reads it from the log`))
  if (!(await read(silent))) return false
  for (const partition of silent) rescues.set(partition, (rescues.get(partition) ?? 0) + 1)
  const dead = silent.filter((partition) => isSilent(member, partition, DEAD_MS) && (rescues.get(partition) ?? 0) >= DEAD_RESCUES)
  if (dead.length > 0)
    throw new DeadMember(`${topic} has delivered nothing from ${dead.length} partitions for a minute; the process joins again`)
  return true
}

/** Whether a partition has delivered nothing for so long, although the member has handled all that it was given of it. */
function isSilent({ feed, lastReceivedAt }: Member, partition: number, ms: number): boolean {
  return isThrough(feed, partition) && performance.now() - (lastReceivedAt.get(partition) ?? 0) > ms
}

/**
 * Writes the member's position after events that do not concern the consumer. Other processes read from it how far the group is, and campaigns
 * begin messages only while the senders are not far behind.
 */
export async function writePassed(member: Member): Promise<void> {
  const { known, membership } = member
  if (!known || membership.passed.size === 0) return
  await passQuiet(member, membership.passed)
  membership.passed.clear()
}

async function passQuiet({ reading, membership }: Member, to: Targets): Promise<void> {
  const further = [...to].filter(([partition, position]) => comparePositions(position, membership.at[partition] ?? START) > 0)
  if (further.length === 0) return
  const end = further.map(([, position]) => position).reduce(laterPosition)
  const cursor = cursorOf(membership, new Map(further))
  await transaction(reading.pool, (tx) => cursor.move(tx, end))
  cursor.moved(end)
}
