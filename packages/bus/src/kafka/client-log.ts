import { type LogEntry, logLevel } from 'kafkajs'
import type { KafkaLog } from './settings.ts'

/** The client says at ERROR what it then heals by itself (a group that rebalances, a coordinator that loads): that is not an error here. */
const LOWERED = {
  [logLevel.NOTHING]: 'debug',
  [logLevel.ERROR]: 'info',
  [logLevel.WARN]: 'info',
  [logLevel.INFO]: 'debug',
  [logLevel.DEBUG]: 'debug',
} as const

/** A `logCreator` that passes the client's lines on, a level lower. What it cannot heal reaches the caller as an error. */
export function clientLog(log: KafkaLog | undefined) {
  return () =>
    ({ level, log: { message, timestamp: _, logger: __, ...fields } }: LogEntry): void => {
      if (log === undefined) return
      const lowered = LOWERED[level]
      log[lowered]({ kafka: fields }, message)
    }
}
