import { type KafkaSettings, type RunningRelay, runRelay } from '@tidings/bus/kafka'
import { eventDeclarations } from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import type { Logger } from '@tidings/observability/log'
import { observe } from '@tidings/observability/metrics'
import type { Pool } from 'pg'
import { RELAYED_TYPES } from './relayed-types.ts'

type RelayOptions = Readonly<{ store: EventStore; pool: Pool; kafka: KafkaSettings; logger: Logger }>

/** Publishes to Kafka what consumers take, in the order of the log. Any number of processes may: one leads. */
export function startRelay({ store, pool, kafka, logger }: RelayOptions): RunningRelay {
  const onFault = (error: unknown): void => logger.error({ err: error }, 'the relay to Kafka failed; it begins again at its checkpoint')
  const declared = new Set(Object.keys(eventDeclarations))
  const relay = runRelay({ store, pool, kafka, types: RELAYED_TYPES, declared, onFault })
  observeRelay(relay.progress)
  return relay
}

/** Whether this process publishes to Kafka, and how far it is behind the log. */
function observeRelay(progress: RunningRelay['progress']): void {
  observe({
    name: 'tidings_relay_leader',
    help: 'Whether this process publishes the log to Kafka; exactly one does',
    read: () => (progress().leader ? 1 : 0),
  })
  observe({
    name: 'tidings_relay_lag_seconds',
    help: 'Seconds that the relay is behind the log; only in the process that publishes',
    read: () => (progress().leader ? progress().lagSeconds : 0),
  })
  observe({
    name: 'tidings_relay_published',
    help: 'Events that this process has published since its start',
    read: () => progress().published,
  })
}
