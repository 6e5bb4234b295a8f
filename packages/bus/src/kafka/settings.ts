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
  log?: KafkaLog
}>

export function topicOf({ prefix }: KafkaSettings): string {
  return `${prefix}.events`
}

export function groupIdOf({ prefix }: KafkaSettings, group: string): string {
  return `${prefix}.${group}`
}
