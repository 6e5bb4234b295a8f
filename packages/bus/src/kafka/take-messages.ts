import type { RecordedEvent } from '@tidings/event-store'
import { comparePositions, type Position, START } from '@tidings/event-store'
import type { KafkaMessage } from 'kafkajs'
import { handleBatch } from '../handle-batch.ts'
import { foreignRecordsError, setAsideForeignRecords } from './foreign-records.ts'
import { handleFromLog, type Reading } from './from-log.ts'
import type { Membership } from './membership.ts'
import { cursorOfPartition } from './partition-cursor.ts'
import { readRecord } from './record.ts'

/** Messages of one partition, in their order. */
export type Slice = Readonly<{ partition: number; messages: readonly KafkaMessage[] }>

/** What was read and not handled yet, and where the partition is behind it. */
type Open = { readonly events: RecordedEvent[]; end: Position }

/**
 * Handles a slice. What is not newer than the group's place was handled before and is dropped; where the chain of positions has a hole,
 * what is missing comes from the log first.
 */
export async function takeMessages(reading: Reading, membership: Membership, { partition, messages }: Slice): Promise<void> {
  const open: Open = { events: [], end: membership.at[partition] ?? START }
  const handleOpen = () => handleUpTo(reading, membership, { partition, events: open.events.splice(0), end: open.end })
  const fromLog = async (to: Position) => {
    await handleOpen()
    await handleFromLog(reading, membership, { targets: new Map([[partition, to]]) })
  }
  const foreign: string[] = []
  for (const message of messages) {
    const record = readRecord(message)
    if (record === null) foreign.push(message.offset)
    if (record === null || record.relay !== membership.relay || comparePositions(record.position, open.end) <= 0) continue
    if (comparePositions(record.previous, open.end) > 0) await fromLog(record.previous)
    // Also what this consumer does not ask for: a type that this build does not know, a newer build of the consumer may ask for.
    if (record.event === null) await fromLog(record.position)
    else open.events.push(record.event)
    open.end = record.position
  }
  if (foreign.length > 0) await notOurs(reading, membership, { partition, offsets: foreign })
  await handleOpen()
}

type UpTo = Readonly<{ partition: number; events: readonly RecordedEvent[]; end: Position }>

/** The topic's copy of an event that cannot be decoded says nothing: the log has it, or is broken there as well and the event is set aside. */
async function handleUpTo(reading: Reading, membership: Membership, { partition, events, end }: UpTo): Promise<void> {
  const cursor = cursorOfPartition(membership, partition)
  if (comparePositions(end, cursor.at()) <= 0) return
  const { types } = reading.consumer
  const { events: decoded, done, failure } = await reading.log.decode(events, { types })
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
