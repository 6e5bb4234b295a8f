import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Authority, newAuthority } from '../certificates.ts'

/** Ports of one broker with other ways in than the plain one: `tls`, `sasl` and both. */
export type SecureListeners = Readonly<{ tls: number; sasl: number; both: number; authority: Authority }>

/** The user that may log in, by PLAIN and by both kinds of SCRAM. */
export const KAFKA_USER = { name: 'alice', password: 'se:cret:pass=' } as const

export function newKafkaAuthority(): Authority {
  return newAuthority('Test Kafka')
}

/** Arguments of the command that formats the storage. */
export const scramUsers: readonly string[] = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
  '--add-scram',
  `${mechanism}=[name="${KAFKA_USER.name}",password="${KAFKA_USER.password}"]`,
])

const LOGIN = 'org.apache.kafka.common.security'

const loginsOf = (listener: string): readonly string[] => [
  `listener.name.${listener}.plain.sasl.jaas.config=${LOGIN}.plain.PlainLoginModule required user_${KAFKA_USER.name}="${KAFKA_USER.password}";`,
  ...['scram-sha-256', 'scram-sha-512'].map(
    (mechanism) => `listener.name.${listener}.${mechanism}.sasl.jaas.config=${LOGIN}.scram.ScramLoginModule required;`,
  ),
]

/** The properties of a broker with these listeners beside its own. Its certificate and key go into the folder. */
export async function withSecureListeners(
  properties: string,
  folder: string,
  { tls, sasl, both, authority }: SecureListeners,
): Promise<string> {
  const { cert, key } = authority.issue('127.0.0.1')
  const keystore = join(folder, 'keystore.pem')
  await writeFile(keystore, key + cert + authority.cert, { mode: 0o600 })
  const listeners = `,SSL://127.0.0.1:${tls},SASL_PLAINTEXT://127.0.0.1:${sasl},SASL_SSL://127.0.0.1:${both}`
  const more = [
    'listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL',
    'sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    'ssl.keystore.type=PEM',
    `ssl.keystore.location=${keystore}`,
    ...loginsOf('sasl_plaintext'),
    ...loginsOf('sasl_ssl'),
  ]
  return `${properties.replace(/^((?:advertised\.)?listeners=.*)$/gm, `$1${listeners}`)}\n${more.join('\n')}\n`
}
