import { comparePositions, type Position, START } from '@tidings/event-store'
import { transaction } from '@tidings/postgres'
import { redriveMarked } from '../redrive.ts'
import { handleFromLog } from './from-log.ts'
import { isTrue, publishedBy, Taken } from './membership.ts'
import { cursorOf } from './partition-cursor.ts'
import { learn, type Member, report } from './state.ts'

/** How often a member looks round. */
export const ROUND_MS = 2_000
/** A partition that was published to and is not heard of for so long is read from the log. */
const SILENT_MS = 10_000
/** After so long the member is given up: the client can lose a partition and go on as if nothing were (kafkajs #1616). */
const DEAD_MS = 60_000
/** So much of the log in one turn, some seconds; the batches that wait meanwhile say nothing to their group. */
const PAGES = 10

/**
 * What no record would bring: partitions that have nothing new are said to be as far as the relay; those that were published to and stay
 * silent (retention, a lost topic, a client that sleeps) are read from the log; and dead letters that somebody marked are taken again.
 * True when there is more to read.
 */
export async function lookRound(member: Member): Promise<boolean> {
  const { reading, membership, assigned, heard } = member
  // Postgres may have fallen back without anybody having noticed.
  if (member.known && !(await isTrue(reading.pool, membership))) member.known = false
  await learn(member)
  const published = await publishedBy(reading.pool, membership)
  if (published === null) throw new Taken(membership.group)
  const isBehind = (partition: number) => comparePositions(published.last[partition] ?? START, membership.at[partition] ?? START) > 0
  await passQuiet(
    member,
    assigned.filter((partition) => !isBehind(partition)),
    published.at,
  )
  const silence = (partition: number) => performance.now() - (heard.get(partition) ?? 0)
  const silent = assigned.filter((partition) => isBehind(partition) && silence(partition) > SILENT_MS)
  const through =
    silent.length === 0 || (await readSilent(member, new Map(silent.map((partition) => [partition, published.last[partition] ?? START]))))
  await redriveMarked(reading)
  member.behind = assigned.some(isBehind)
  report(member, undefined)
  if (silent.length > 0 && silent.every((partition) => silence(partition) > DEAD_MS))
    throw new Dead(`${membership.group} has heard nothing of ${silent.length} partitions for a minute; it joins again`)
  return !through
}

/** The member must be thrown away. */
export class Dead extends Error {
  override readonly name = 'Dead'
}

async function passQuiet({ reading, membership }: Member, partitions: readonly number[], to: Position): Promise<void> {
  const behind = partitions.filter((partition) => comparePositions(to, membership.at[partition] ?? START) > 0)
  if (behind.length === 0) return
  const cursor = cursorOf(membership, targetsOf(behind, to))
  await transaction(reading.pool, (tx) => cursor.move(tx, to))
  cursor.moved(to)
}

async function readSilent({ reading, membership }: Member, targets: ReadonlyMap<number, Position>): Promise<boolean> {
  const partitions = [...targets.keys()].join(', ')
  reading.onFault?.(
    new Error(`${membership.topic} does not deliver what partition ${partitions} was given: ${membership.group} reads it from the log`),
  )
  return await handleFromLog(reading, membership, { targets, pages: PAGES })
}

const targetsOf = (partitions: readonly number[], to: Position): ReadonlyMap<number, Position> =>
  new Map(partitions.map((partition) => [partition, to]))
