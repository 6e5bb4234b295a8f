import { hash } from 'node:crypto'

/** The part of pino's logger that reports of the client go to. */
export type KafkaLog = Readonly<Record<'debug' | 'info' | 'warn' | 'error', (fields: Record<string, unknown>, message: string) => void>>

/** `prefix` starts the names of the topic and the groups. `partitions`: of the topic, when it is made; what exists keeps its count. */
export type KafkaSettings = Readonly<{
  brokers: readonly string[]
  prefix: string
  partitions: number
  /** Absent: unencrypted. `ca`: the only certificates to trust, in PEM; without it those that Node.js trusts. */
  tls?: Readonly<{ ca?: string }>
  sasl?: Readonly<{ mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string }>
  /** Names what this version knows of events. */
  build?: string
  log?: KafkaLog
}>

export function topicOf({ prefix }: KafkaSettings): string {
  return `${prefix}.events`
}

/**
 * The group of Kafka that processes with these groups share. A process that runs other groups (an older or newer version) is in another one:
 * it would leave events in its partitions unread.
 */
export function groupIdOf({ prefix, build = '' }: KafkaSettings, consumers: ReadonlyMap<string, readonly string[]>): string {
  const lines = [...consumers].map(([group, types]) => `${group}: ${[...types].sort().join(' ')}`).sort()
  return `${prefix}.${hash('sha256', [build, ...lines].join('\n'), 'hex').slice(0, 12)}`
}
