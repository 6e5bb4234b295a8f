import { hash, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { KafkaSettings } from '@tidings/bus/kafka'
import { type Config, OperationFailed, parseKafkaSasl } from '@tidings/config'
import { eventDeclarations } from '@tidings/domain'
import type { Log } from '@tidings/observability/log'

/** Kafka as it is configured; null where consumers read the log. One sentence when the file of the CAs cannot be used. */
export async function kafkaSettings({ kafka }: Pick<Config, 'kafka'>, log?: Log): Promise<KafkaSettings | null> {
  const { brokers, prefix, partitions } = kafka
  if (brokers.length === 0) return null
  const tls = await tlsOf(kafka.tls)
  const sasl = kafka.sasl === null ? null : parseKafkaSasl(kafka.sasl)
  return { brokers, prefix, partitions, build: buildOf(eventDeclarations), ...(tls && { tls }), ...(sasl && { sasl }), ...(log && { log }) }
}

/** What this version knows of events. */
const buildOf = (declarations: Readonly<Record<string, Readonly<{ version: number }>>>): string =>
  hash('sha256', JSON.stringify(Object.entries(declarations).map(([type, { version }]) => [type, version])), 'hex')

const tlsOf = async (tls: Config['kafka']['tls']): Promise<KafkaSettings['tls'] | null> => {
  if (tls === null || tls === 0) return null
  return typeof tls === 'string' ? { ca: await certificatesIn(tls) } : {}
}

/** Node.js accepts a file without certificates silently, and then trusts no server. */
const certificatesIn = async (file: string): Promise<string> => {
  try {
    const pem = await readFile(file, 'utf8')
    new X509Certificate(pem)
    return pem
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code?.startsWith('E') && !code.startsWith('ERR') ? `cannot be read (${code})` : 'holds no certificate in PEM'
    throw new OperationFailed(`The file ${file} of TIDINGS_KAFKA_TLS ${why}: name the one with the certificates of your CA.`, {
      cause: error,
    })
  }
}
