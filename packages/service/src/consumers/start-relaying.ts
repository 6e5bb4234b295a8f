import type { RunningRelay } from '@tidings/bus/kafka'
import type { Config } from '@tidings/config'
import type { Log } from '@tidings/log'
import { observeRelay } from '../metrics/metrics.ts'
import type { Stores } from '../stores/open-stores.ts'
import { kafkaSettings } from './kafka-settings.ts'

type Relaying = Readonly<{ config: Config; log: Log; stores: Pick<Stores, 'store' | 'workPool'> }>

/** Publishes the log to Kafka; null where Kafka is not configured. */
export async function startRelaying({ config, log, stores }: Relaying): Promise<RunningRelay | null> {
  const kafka = await kafkaSettings(config, log)
  if (kafka === null) return null
  const { startRelay } = await import('@tidings/consumers/relay')
  const onFault = (error: unknown) => log.error({ err: error }, 'the relay to Kafka failed; it begins again at its checkpoint')
  const relay = startRelay({ store: stores.store, pool: stores.workPool, kafka, onFault })
  observeRelay(relay.progress)
  return relay
}
