/** The login of a client to Kafka. */
export type KafkaSasl = Readonly<{ mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string }>

/** What follows the second colon is the password, colons and all. */
export const KAFKA_SASL = /^(plain|scram-sha-256|scram-sha-512):([^:]+):([\s\S]+)$/

const isMechanism = (text: string): text is KafkaSasl['mechanism'] => ['plain', 'scram-sha-256', 'scram-sha-512'].includes(text)

/** The login that `mechanism:user:password` stands for; null for a text that the configuration would not accept. */
export function parseKafkaSasl(text: string): KafkaSasl | null {
  const [, mechanism = '', username = '', password = ''] = KAFKA_SASL.exec(text) ?? []
  return isMechanism(mechanism) ? { mechanism, username, password } : null
}
