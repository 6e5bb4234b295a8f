import { randomUUID } from 'node:crypto'
import type { Consumer } from '@tidings/bus'
import { kafkaTransport, runRelay } from '@tidings/bus/kafka'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { createPool } from '@tidings/postgres'
import type { PoolClient } from 'pg'
import { openLog } from './kafka-torture.log.ts'

/** What a process is to be. */
export type PartOptions = Readonly<{ part: 'relay' | 'consumer'; url: string; broker: string; prefix: string }>

/**
 * A process of its own that relays, or consumes: two groups, of which one fails or is slow now and then, each note every event in a table, in the
 * transaction they are given. It runs until it is killed, or asked to stop, and then drains.
 */
const { part, url, broker, prefix }: PartOptions = JSON.parse(process.argv[2] ?? '')
const pool = createPool({ url, max: 4, name: `torture-${part}`, onIdleError: () => undefined })
const store = postgresEventStore({ pool })
const log = await openLog(pool, store)
const kafka = { brokers: [broker], prefix, partitions: 6 }
const instance = randomUUID()

const noting = (group: string, before: (tx: PoolClient) => Promise<unknown>): Consumer => ({
  group,
  types: ['EmailAccepted'],
  handle: async (events, tx) => {
    await before(tx)
    await tx.query(
      `insert into effect (position, contact, subject, process, consumer)
       select e.*, $4, $5 from unnest($1::bigint[], $2::text[], $3::text[]) e`,
      [
        events.map(({ position }) => position.commit),
        events.map(({ data }) => (data as { contactId: string }).contactId),
        events.map(({ data }) => (data as { content: { subject: string } }).content.subject),
        instance,
        group,
      ],
    )
    return undefined
  },
})

let taken = 0
/** Once in twenty times it takes longer than others wait, and once it fails. */
const falters = async (tx: PoolClient): Promise<void> => {
  taken++
  if (taken % 20 === 7) await tx.query('select pg_sleep(1)')
  if (taken % 20 === 13) throw Object.assign(new Error('it falters'), { code: '40001' })
}
const consumers = [noting('steady', async () => undefined), noting('faltering', falters)]

const consume = (): Running => {
  const transport = kafkaTransport(kafka)
  const all = consumers.map((consumer) => transport({ consumer, log, pool, startAt: 'start' }))
  return { stop: () => Promise.all(all.map(({ stop }) => stop())) }
}

type Running = Readonly<{ stop: () => Promise<unknown> }>

const running: Running = part === 'relay' ? runRelay({ store, pool, kafka, types: ['EmailAccepted'] }) : consume()

const end = async () => {
  await running.stop()
  process.exit()
}
process.on('message', () => void end())
// The parent is gone: no process counts any more.
process.on('disconnect', () => process.exit())
process.send?.('running')
