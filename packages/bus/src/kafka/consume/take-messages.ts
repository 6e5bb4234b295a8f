import type { DecodedEvents } from '@tidings/codec'
import { comparePositions, laterPosition, type Position, type RecordedEvent } from '@tidings/event-store'
import { handleBatch } from '../../handle-batch.ts'
import { isConcerned } from '../../is-concerned.ts'
import type { Delivered, Slice } from './delivery.ts'
import { foreignRecordsError, setAsideForeignRecords } from './foreign-records.ts'
import { handleFromLog } from './from-log.ts'
import type { Reading } from './member.ts'
import { type Membership, pass, reached } from './membership.ts'
import { cursorOf, cursorOfPartition } from './partition-cursor.ts'

/** What of a partition was read and not handled yet, and where the partition is behind it. */
type Open = Readonly<{ partition: number; events: RecordedEvent[] }> & { end: Position }

type Taking = Readonly<{ reading: Reading; membership: Membership }>

/**
 * Handles slices of several partitions, in one transaction if nothing is wrong with them. An event that is not newer than the group's position
 * was handled before and is dropped. If the chain of positions has a hole, the missing events are read from the log first.
 */
export async function takeMessages(reading: Reading, membership: Membership, slices: readonly Slice[]): Promise<void> {
  const taking = { reading, membership }
  const open = new Map<number, Open>()
  for (const { partition, records } of slices) {
    const part = open.get(partition) ?? { partition, events: [], end: reached(membership, partition) }
    open.set(partition, part)
    await readSlice(taking, part, records)
  }
  await handleTogether(taking, [...open.values()])
}

async function readSlice({ reading, membership }: Taking, open: Open, records: readonly Delivered[]): Promise<void> {
  const { partition } = open
  const fromLog = async (to: Position) => {
    await handleUpTo(reading, membership, { partition, events: open.events.splice(0), end: open.end })
    await handleFromLog(reading, membership, { targets: new Map([[partition, to]]) })
  }
  const foreign: string[] = []
  for (const { offset, record } of records) {
    if (record === null) foreign.push(offset)
    if (record === null || record.relay !== membership.relay || comparePositions(record.position, open.end) <= 0) continue
    if (comparePositions(record.previous, open.end) > 0) await fromLog(record.previous)
    // This includes types that the consumer does not ask for: a newer build of it may ask for a type that this build does not know.
    if (record.event === null) await fromLog(record.position)
    else open.events.push(record.event)
    open.end = record.position
  }
  if (foreign.length > 0) await notOurs(reading, membership, { partition, offsets: foreign })
}

/**
 * One transaction for all partitions, its events in the order of the log; none where nothing concerns the consumer: with a dozen partitions
 * and a dozen groups, nine of ten transactions moved a position and did nothing else.
 */
async function handleTogether({ reading, membership }: Taking, open: readonly Open[]): Promise<void> {
  const moved = open.filter(({ partition, end }) => comparePositions(end, reached(membership, partition)) > 0)
  const events = moved.flatMap((part) => part.events).sort((a, b) => comparePositions(a.position, b.position))
  const { events: decoded, failure } = await confirmedAndDecoded(reading, events)
  if (failure !== null) {
    for (const part of moved) await handleUpTo(reading, membership, part)
    return
  }
  if (await isConcerned(reading.consumer, decoded)) {
    const targets = new Map(moved.map(({ partition, end }) => [partition, end]))
    const to = moved.map(({ end }) => end).reduce(laterPosition)
    return await handleBatch(reading, cursorOf(membership, targets), { events: decoded, to })
  }
  for (const part of moved) pass(membership, part.partition, part.end)
}

/** What is in the topic counts while the log holds what was seen of it: rejects as the log's `confirm` does. */
const confirmedAndDecoded = async ({ log, consumer: { types } }: Reading, events: readonly RecordedEvent[]): Promise<DecodedEvents> => {
  await log.confirm()
  return await log.decode(events, { types })
}

/** The topic's copy of an event that cannot be decoded says nothing: the log has it, or is broken there as well and the event is set aside. */
async function handleUpTo(reading: Reading, membership: Membership, { partition, events, end }: Open): Promise<void> {
  const cursor = cursorOfPartition(membership, partition)
  if (comparePositions(end, cursor.at()) <= 0) return
  const { events: decoded, done, failure } = await confirmedAndDecoded(reading, events)
  const broken = events[done]
  if (failure === null || broken === undefined) return await handleBatch(reading, cursor, { events: decoded, to: end })
  const before = events[done - 1]
  if (before !== undefined) await handleBatch(reading, cursor, { events: decoded, to: before.position })
  await handleFromLog(reading, membership, { targets: new Map([[partition, broken.position]]) })
  await handleUpTo(reading, membership, { partition, events: events.slice(done + 1), end })
}

async function notOurs(
  { consumer, pool, onFault }: Reading,
  { topic }: Membership,
  { partition, offsets }: Readonly<{ partition: number; offsets: readonly string[] }>,
): Promise<void> {
  await setAsideForeignRecords(pool, { consumer: consumer.group, topic, partition, offsets })
  onFault?.(foreignRecordsError(`${topic}/${partition}`))
}
