import { randomUUID } from 'node:crypto'
import type { Consumer } from '@tidings/bus'
import { kafkaTransport, runRelay } from '@tidings/bus/kafka'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { createPool } from '@tidings/postgres'
import { openLog } from './kafka-torture.log.ts'

/** What a process is to be. */
export type PartOptions = Readonly<{ part: 'relay' | 'consumer'; url: string; broker: string; prefix: string }>

export const GROUP = 'torture'

/**
 * A process of its own that relays, or consumes: it notes each event in a table, in the transaction it is given. It runs until it is
 * killed, or asked to stop, and then drains.
 */
const { part, url, broker, prefix }: PartOptions = JSON.parse(process.argv[2] ?? '')
const pool = createPool({ url, max: 4, name: `torture-${part}`, onIdleError: () => undefined })
const store = postgresEventStore({ pool })
const log = await openLog(pool, store)
const kafka = { brokers: [broker], prefix, partitions: 6 }
const instance = randomUUID()

const consumer = {
  group: GROUP,
  types: ['EmailAccepted'],
  handle: async (events: Parameters<Consumer['handle']>[0], tx: { query: typeof pool.query }) => {
    await tx.query(
      `insert into effect (position, contact, subject, process)
       select * from unnest($1::bigint[], $2::text[], $3::text[], array_fill($4::text, array[cardinality($1::bigint[])]))`,
      [
        events.map(({ position }) => position.commit),
        events.map(({ data }) => (data as { contactId: string }).contactId),
        events.map(({ data }) => (data as { content: { subject: string } }).content.subject),
        instance,
      ],
    )
    return undefined
  },
}

const running =
  part === 'relay'
    ? runRelay({ store, pool, kafka, types: ['EmailAccepted'] })
    : kafkaTransport(kafka)({ consumer, log, pool, startAt: 'start' })

const end = async () => {
  await running.stop()
  process.exit()
}
process.on('message', () => void end())
// The parent is gone: no process counts any more.
process.on('disconnect', () => process.exit())
process.send?.('running')
