import type { Position } from '@tidings/event-store'
import type { Message, Producer } from 'kafkajs'
import { partitionOf } from '../../partition.ts'
import { messageOf } from '../record.ts'
import { MAX_EVENT_BYTES, type Portion } from './portions.ts'
import type { Lead } from './relay-lease.ts'

type Publisher = Readonly<{ producer: Producer; lead: Lead }>

/** Sends one portion and waits until every replica has it; answers the new last position of each partition it went to. */
export async function publish({ producer, lead }: Publisher, portion: Portion): Promise<ReadonlyMap<number, Position>> {
  const { messages, last } = chained(lead, portion, true)
  try {
    await send({ producer, lead }, messages)
  } catch (error) {
    if (!isTooLarge(error)) throw error
    // The broker's limit is below the default: the same events without their values, so that the relay never stops.
    await send({ producer, lead }, chained(lead, portion, false).messages)
  }
  return last
}

const send = async ({ producer, lead: { lease } }: Publisher, messages: Message[]): Promise<void> => {
  await producer.sendBatch({ acks: -1, topicMessages: [{ topic: lease.name, messages }] })
}

/** The records in their partitions, each with the position of the one before it there. */
function chained({ id, partitions, last }: Lead, { records }: Portion, withValues: boolean) {
  const after = new Map<number, Position>()
  const messages = records.map((record) => {
    const partition = partitionOf(record.key, partitions)
    const previous = after.get(partition) ?? last[partition] ?? record.event.position
    after.set(partition, record.event.position)
    return messageOf(record, { partition, previous, relay: id, withValue: withValues && record.bytes <= MAX_EVENT_BYTES })
  })
  return { messages, last: after }
}

const isTooLarge = (error: unknown): boolean => {
  const { type, cause } = (error ?? {}) as Readonly<{ type?: unknown; cause?: unknown }>
  return type === 'MESSAGE_TOO_LARGE' || (cause !== undefined && isTooLarge(cause))
}
