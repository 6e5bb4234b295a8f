import type { Recorded } from '@tidings/codec'
import { comparePositions, laterPosition, type Position, START } from '@tidings/event-store'
import { transaction } from '@tidings/postgres'
import { isStart } from '../../checkpoint.ts'
import { handleBatch } from '../../handle-batch.ts'
import { partitionOfEvent } from '../../partition.ts'
import { brokenAt, setAsideOnce } from '../../set-aside.ts'
import { unlessStopped } from '../../unless-stopped.ts'
import type { Reading } from './member.ts'
import type { Membership } from './membership.ts'
import { cursorOf, type Targets } from './partition-cursor.ts'

const PAGE = 1_000

/**
 * Handles what some partitions miss up to their targets, reading it from the log: where a topic has forgotten it (retention, a topic that
 * was lost), where it was too large to send, and where the topic's copy cannot be decoded. False when `pages` of 1 000 events were not enough.
 */
export async function handleFromLog(
  reading: Reading,
  membership: Membership,
  { targets, pages = Number.POSITIVE_INFINITY }: Readonly<{ targets: Targets; pages?: number }>,
): Promise<boolean> {
  const cursor = cursorOf(membership, targets)
  const end = [...targets.values()].reduce(laterPosition)
  const missing = (event: Recorded): boolean => {
    const partition = partitionOfEvent(event, membership.at.length)
    const target = targets.get(partition)
    if (target === undefined || comparePositions(event.position, target) > 0) return false
    return comparePositions(event.position, membership.at[partition] ?? START) > 0
  }
  for (let from = cursor.at(), read = 0; comparePositions(from, end) < 0; read++) {
    if (read === pages) return false
    const page = await readPage(reading, from)
    if (comparePositions(page.to, from) <= 0) throw new Error(`${membership.topic} names events behind the end of the log`)
    const to = comparePositions(page.to, end) > 0 ? end : page.to
    const events = page.events.filter(missing)
    if (events[0] !== undefined) reading.onRead?.(events[0].created)
    if (page.broken === null) await handleBatch(reading, cursor, { events, to })
    else await passBroken(reading, cursor, { to, after: from, error: page.broken })
    from = to
  }
  reading.onRead?.(null)
  return true
}

type Page = Readonly<{ events: readonly Recorded[]; to: Position; broken: unknown }>

async function readPage({ log, consumer, signal }: Reading, from: Position): Promise<Page> {
  try {
    const { events, to } = await unlessStopped(log.readAll(isStart(from) ? 'start' : from, PAGE, { types: consumer.types }), signal)
    return { events, to, broken: null }
  } catch (error) {
    const position = brokenAt(error, consumer.types)
    if (position === null) throw error
    return { events: [], to: position, broken: error }
  }
}

type Broken = Readonly<{ to: Position; after: Position; error: unknown }>

/** Its partition is not known. Each member that reads it records it; it is recorded once. */
async function passBroken(
  { consumer, pool, onFault }: Reading,
  cursor: ReturnType<typeof cursorOf>,
  { to, after, error }: Broken,
): Promise<void> {
  await transaction(pool, async (tx) => {
    await cursor.move(tx, to)
    await setAsideOnce(tx, { consumer, position: to, after, error })
  })
  cursor.moved(to)
  onFault?.(error)
}
