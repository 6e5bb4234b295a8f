import { runRelay } from '@tidings/bus/kafka'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { createPool } from '@tidings/postgres'

/** One relay in a process of its own, which publishes a whole log to a topic that is not there yet. */
export type RelayInput = Readonly<{ url: string; broker: string; prefix: string; events: number; type: string }>
export type RelayAnswer = Readonly<{ published: number; seconds: number; cpuSeconds: number }>

const LOOK_MS = 2
const { url, broker, prefix, events, type } = JSON.parse(process.argv[2] ?? '{}') as RelayInput
const pool = createPool({ url, max: 4, name: 'bench' })
const store = postgresEventStore({ pool })
// A consumer that has nothing yet: the relay begins where it is.
await pool.query('delete from ops.consumer_checkpoint')
await pool.query(`insert into ops.consumer_checkpoint (consumer_group, position_commit, position_prepare) values ('bench', -1, -1)`)

const fail = (error: unknown): never => {
  throw error
}
const relay = runRelay({ store, pool, kafka: { brokers: [broker], prefix, partitions: 12 }, types: [type], onFault: fail })
const published = async (least: number): Promise<void> => {
  while (relay.progress().published < least) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
}
await published(1)
const before = { at: performance.now(), cpu: process.cpuUsage(), published: relay.progress().published }
await published(events)
const cpu = process.cpuUsage(before.cpu)
const answer: RelayAnswer = {
  published: relay.progress().published - before.published,
  seconds: (performance.now() - before.at) / 1_000,
  cpuSeconds: (cpu.user + cpu.system) / 1e6,
}
await relay.stop()
await store.close()
await pool.end()
process.stdout.write(`${JSON.stringify(answer)}\n`)
