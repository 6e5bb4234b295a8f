import { type RelayOptions, type RunningRelay, runRelay } from '@tidings/bus/kafka'
import { eventDeclarations } from '@tidings/domain'
import { RELAYED_TYPES } from './relayed-types.ts'

/** Publishes to Kafka what consumers take, in the order of the log. Any number of processes may: one leads. */
export function startRelay(options: Omit<RelayOptions, 'types' | 'declared'>): RunningRelay {
  return runRelay({ ...options, types: RELAYED_TYPES, declared: new Set(Object.keys(eventDeclarations)) })
}
