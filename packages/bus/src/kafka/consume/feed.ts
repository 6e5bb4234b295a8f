import { laterPosition, type Position } from '@tidings/event-store'
import type { KafkaMessage } from 'kafkajs'
import { type RecordRead, readRecord } from '../record.ts'

/** A record of the topic; null where it is none of a relay's. */
export type Delivered = Readonly<{ offset: string; record: RecordRead | null }>

/** Records of one partition, in their order. */
export type Slice = Readonly<{ partition: number; records: readonly Delivered[] }>

/**
 * A batch that the client fetched, read once for all groups of the process. `first`: the offset of the first record; `next`: the one behind the last;
 * `end`: the one behind the partition's last record. `timestamp`: of the last record, in ms since 1970.
 */
export type Delivery = Slice & Readonly<{ first: bigint; next: bigint; end: bigint; timestamp: string }>

type Fetched = Readonly<{ partition: number; messages: readonly KafkaMessage[]; highWatermark: string }>

/** Reads messages, in portions of at most `limit`. The data of a type that is not `wanted` is not read. */
export function* deliveriesOf(
  { partition, messages, highWatermark }: Fetched,
  wanted: ReadonlySet<string>,
  limit: number,
): Generator<Delivery> {
  for (let from = 0; from < messages.length; from += limit) {
    const portion = messages.slice(from, from + limit)
    const [first, last] = [portion[0], portion.at(-1)]
    if (first === undefined || last === undefined) return
    yield {
      partition,
      records: portion.map((message) => ({ offset: message.offset, record: readRecord(message, wanted) })),
      first: BigInt(first.offset),
      next: BigInt(last.offset) + 1n,
      end: BigInt(highWatermark),
      timestamp: last.timestamp,
    }
  }
}

/**
 * A group has to read a partition from the log up to `to`, and continues at the offset behind that. `to` is null when it missed no event of
 * the relay. `since` is the time of the first event that it missed, in ms since 1970.
 */
type Missed = Readonly<{ to: Position | null; next: bigint; since: string }>

/** The feed that the topic's reader has for one group of the process; a new one with each assignment of partitions. */
export type Feed = {
  /** Given and not taken yet: taken together. */
  readonly untaken: Delivery[]
  /** The records that are being handled. */
  taken: readonly Delivery[]
  /** The records that the group was too slow for. */
  readonly missed: Map<number, Missed>
  /** The group did not keep up: it is given nothing, and what it misses it reads from the log. */
  isLeftBehind: boolean
  /** The first offset that was not handled in each partition. */
  readonly handled: Map<number, bigint>
  /** The offset behind the last record of each partition that was given, or missed. */
  readonly given: Map<number, bigint>
  /** The time of what was handled last, in ms since 1970. */
  handledAt: string | null
  /** The offset behind the last record of each partition. */
  readonly ends: Map<number, bigint>
}

export function createFeed(): Feed {
  return {
    untaken: [],
    taken: [],
    missed: new Map(),
    isLeftBehind: false,
    handled: new Map(),
    given: new Map(),
    handledAt: null,
    ends: new Map(),
  }
}

/** Gives a delivery to a group that reads this relay; one that is left behind misses it. */
export function give(feed: Feed, delivery: Delivery, relay: string): void {
  const { partition, first, next, end } = delivery
  feed.ends.set(partition, end)
  // Offsets go back where an election truncated the partition, or the topic was made anew.
  if (first < (feed.given.get(partition) ?? first) || !feed.handled.has(partition)) feed.handled.set(partition, first)
  feed.given.set(partition, next)
  if (feed.isLeftBehind) miss(feed, delivery, relay)
  else feed.untaken.push(delivery)
}

/** The group did not take what it was given: others go on without it. */
export function leaveBehind(feed: Feed, relay: string): void {
  feed.isLeftBehind = true
  for (const delivery of feed.untaken.splice(0)) miss(feed, delivery, relay)
}

function miss({ missed }: Feed, { partition, records, next, timestamp }: Delivery, relay: string): void {
  const last = records.findLast(({ record }) => record?.relay === relay)?.record?.position ?? null
  const before = missed.get(partition)
  const to = before?.to ? laterPosition(before.to, last ?? before.to) : last
  missed.set(partition, { to, next, since: before?.since ?? timestamp })
}

/** Takes as much of it as has at most `limit` records together; never nothing of what there is. */
export function take(feed: Feed, limit: number): readonly Delivery[] {
  const { untaken } = feed
  let records = 0
  const beyond = untaken.findIndex((delivery, n) => {
    records += delivery.records.length
    return n > 0 && records > limit
  })
  feed.taken = untaken.splice(0, beyond === -1 ? untaken.length : beyond)
  return feed.taken
}

/** Marks the taken records as handled. */
export function settle(feed: Feed): void {
  for (const { partition, next, timestamp } of feed.taken) {
    handledTo(feed, partition, next)
    feed.handledAt = timestamp
  }
  feed.taken = []
}

/** Moves the mark forward only: missed events may be handled after later ones. It never passes what was given since offsets went back. */
export function handledTo({ handled, given }: Feed, partition: number, next: bigint): void {
  const last = given.get(partition) ?? next
  const to = next < last ? next : last
  if (to > (handled.get(partition) ?? 0n)) handled.set(partition, to)
}

/** Whether all that was given of a partition, or missed, is handled. */
export function isThrough({ given, handled }: Feed, partition: number): boolean {
  return (given.get(partition) ?? 0n) <= (handled.get(partition) ?? 0n)
}

/** The time of what has waited longest, in ms since 1970; of what was handled last where only Kafka has more. Null where that is not known. */
export function waitsSince({ taken, untaken, missed, handledAt }: Feed): string | null {
  const given = taken[0] ?? untaken[0]
  if (given !== undefined) return given.timestamp
  const [first, ...others] = [...missed.values()].map(({ since }) => since)
  return first === undefined ? handledAt : others.reduce((one, other) => (Number(other) < Number(one) ? other : one), first)
}

/** Records that wait for the group in its partitions. */
export function waiting({ ends, handled }: Feed): number {
  let count = 0
  for (const [partition, end] of ends) count += Math.max(0, Number(end - (handled.get(partition) ?? end)))
  return count
}
