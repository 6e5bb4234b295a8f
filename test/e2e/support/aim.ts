import { randomBytes } from 'node:crypto'
import { startEventStoreProcess } from '@tidings/testing/eventstoredb'
import { runBroker } from '@tidings/testing/kafka'
import type { Environment } from './service-process.ts'

/**
 * What `TIDINGS_E2E` may say: where the end-to-end tests run. `embedded`: one process on Postgres; any other: each role in a process of its
 * own behind a gateway, `roles` on Postgres alone, the others with what they name.
 */
const AIMS = ['embedded', 'roles', 'kafka', 'esdb', 'esdb+kafka'] as const

export type Aim = (typeof AIMS)[number]

/** The aim of this run. */
export function aim(): Aim {
  const wanted = process.env.TIDINGS_E2E ?? 'embedded'
  const found = AIMS.find((known) => known === wanted)
  if (found === undefined) throw new Error(`TIDINGS_E2E is one of ${AIMS.join(', ')}, not ${wanted}`)
  return found
}

/** What an installation needs beside Postgres, of its own: its settings, and how to end it. */
export type Surroundings = Readonly<{ env: Environment; stop: () => Promise<void> }>

const kafkaOf = async (): Promise<Environment> => {
  const brokers = await runBroker()
  if (brokers === null) throw new Error('TIDINGS_E2E asks for Kafka, and this machine has none')
  return { TIDINGS_KAFKA_BROKERS: brokers, TIDINGS_KAFKA_PREFIX: `e2e-${randomBytes(6).toString('hex')}`, TIDINGS_KAFKA_PARTITIONS: '3' }
}

/** Starts the event store and names the broker that the aim asks for. */
export async function surroundings(aimed: Aim): Promise<Surroundings> {
  const kafka = aimed.includes('kafka') ? await kafkaOf() : {}
  if (!aimed.includes('esdb')) return { env: kafka, stop: async () => undefined }
  const store = await startEventStoreProcess()
  return { env: { ...kafka, TIDINGS_EVENT_STORE: store.connectionString }, stop: store.stop }
}
