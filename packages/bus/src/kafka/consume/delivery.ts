import type { KafkaMessage } from 'kafkajs'
import { type RecordRead, readRecord } from '../record.ts'

/** A record of the topic; null where it is none of a relay's. */
export type Delivered = Readonly<{ offset: string; record: RecordRead | null }>

/** Records of one partition, in their order. */
export type Slice = Readonly<{ partition: number; records: readonly Delivered[] }>

/**
 * What the client fetched, read once for all groups of the process. `first`: the offset of the first record; `next`: the one behind the last;
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
