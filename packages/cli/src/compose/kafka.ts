import type { Transport } from '@tidings/bus'
import type { KafkaSettings, RunningRelay } from '@tidings/bus/kafka'
import type { Config } from '@tidings/config'
import type { Log } from '@tidings/log'
import type { Stores } from './stores.ts'

/** Kafka as it is configured; null where consumers read the log. */
const settingsOf = ({ kafka }: Config, log: Log): KafkaSettings | null => (kafka.brokers.length === 0 ? null : { ...kafka, log })

/** How events reach the consumers. The client of Kafka is loaded only where Kafka is configured. */
export const transportOf = async (config: Config, log: Log): Promise<Readonly<{ transport?: Transport }>> => {
  const kafka = settingsOf(config, log)
  if (kafka === null) return {}
  const { runKafkaConsumer } = await import('@tidings/bus/kafka')
  return { transport: (options) => runKafkaConsumer({ ...options, kafka }) }
}

type Relaying = Readonly<{ config: Config; log: Log; stores: Pick<Stores, 'store' | 'workPool'> }>

/** Publishes the log to Kafka; null where Kafka is not configured. */
export const startRelaying = async ({ config, log, stores }: Relaying): Promise<RunningRelay | null> => {
  const kafka = settingsOf(config, log)
  if (kafka === null) return null
  const { startRelay } = await import('@tidings/consumers/relay')
  const onFault = (error: unknown) => log.error({ err: error }, 'the relay to Kafka failed; it begins again at its checkpoint')
  return startRelay({ store: stores.store, pool: stores.workPool, kafka, onFault })
}
