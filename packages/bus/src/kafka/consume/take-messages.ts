import type { DecodedEvents, Recorded } from '@tidings/codec'
import { comparePositions, laterPosition, type Position, type RecordedEvent, START } from '@tidings/event-store'
import { transaction } from '@tidings/postgres'
import type { Pool } from 'pg'
import { isStart } from '../../checkpoint.ts'
import { handleBatch, isConcerned } from '../../handle-batch.ts'
import { partitionOfEvent } from '../../partition.ts'
import type { Cursor } from '../../port.ts'
import { brokenAt, isForeign, referenceOf, setAsideOnce } from '../../set-aside.ts'
import { unlessStopped } from '../../unless-stopped.ts'
import type { Delivered, Slice } from './feed.ts'
import { advancePartitions, type Membership, pass, type Reading, reached } from './member.ts'

/** The events of a partition that were read and not handled yet, and the position of the partition behind them. */
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
  const reference = `${topic}/${partition}`
  onFault?.(foreignRecordsError(reference), { consumer: consumer.group, workspaceId: null, reference })
}

/** The positions up to which each partition is read in one go. */
export type Targets = ReadonlyMap<number, Position>

const earlier = (a: Position, b: Position): Position => (comparePositions(a, b) <= 0 ? a : b)

/** The place in the slowest of some partitions; moving it moves all of them, none beyond its target. */
export function cursorOf(membership: Membership, targets: Targets): Cursor {
  const { at } = membership
  const positionsAt = (to: Position): ReadonlyMap<number, Position> =>
    new Map(
      [...targets]
        .map(([partition, target]) => [partition, earlier(to, target)] as const)
        .filter(([partition, position]) => comparePositions(position, at[partition] ?? START) > 0),
    )
  return {
    at: () => [...targets.keys()].map((partition) => at[partition] ?? START).reduce(earlier),
    move: async (tx, to) => {
      const positions = positionsAt(to)
      if (positions.size > 0) await advancePartitions(tx, membership, positions)
    },
    moved: (to) => {
      for (const [partition, position] of positionsAt(to)) at[partition] = position
    },
  }
}

/** One partition, up to wherever the events go. */
function cursorOfPartition(membership: Membership, partition: number): Cursor {
  return {
    at: () => membership.at[partition] ?? START,
    move: (tx, to) => advancePartitions(tx, membership, new Map([[partition, to]])),
    moved: (to) => {
      membership.at[partition] = to
    },
  }
}

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
  if (isForeign(error, consumer.types)) onFault?.(error)
  else onFault?.(error, { consumer: consumer.group, workspaceId: null, reference: referenceOf(to) })
}

/** Records of one partition that are not events of a relay, by their offsets, in order. Their content is not copied. */
type ForeignRecords = Readonly<{ consumer: string; topic: string; partition: number; offsets: readonly string[] }>

/** The most offsets that a dead letter gains at once, and the number of records after which it gains no more. */
const SHOWN = 20

/**
 * Records them in one dead letter a partition, however many there are: it counts them (`attempts`), shows the first offsets (`payload`) and
 * has the last (`seq`), so that a repetition adds nothing.
 */
export async function setAsideForeignRecords(pool: Pool, { consumer, topic, partition, offsets }: ForeignRecords): Promise<void> {
  const reference = `${topic}/${partition}`
  await pool.query(
    `insert into ops.dead_letter as d (source, consumer, reference, seq, attempts, payload, error_class, error)
     select 'record', $1, $2, max(o), count(*), string_agg(o::text, ' ' order by o) filter (where n <= ${SHOWN}), 'Error', $4
     from unnest($3::bigint[]) with ordinality as record(o, n)
     on conflict (consumer, reference) do update set
       attempts = d.attempts + (select count(*) from unnest($3::bigint[]) o where o > d.seq),
       payload = case when d.attempts >= ${SHOWN} then d.payload else concat_ws(' ', d.payload,
         (select string_agg(o::text, ' ' order by o) from (select o from unnest($3::bigint[]) o where o > d.seq order by o limit ${SHOWN}) more)) end,
       seq = excluded.seq, state = 'open', note = null, last_seen_at = now()
     where d.seq < excluded.seq`,
    [consumer, reference, offsets, foreignRecordsError(reference).message],
  )
}

function foreignRecordsError(reference: string): Error {
  return new Error(`${reference} holds records that are no events of a relay`)
}
