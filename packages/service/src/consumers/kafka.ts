import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Transport } from '@tidings/bus'
import type { KafkaSettings, RunningRelay } from '@tidings/bus/kafka'
import { type Config, OperationFailed, parseKafkaSasl } from '@tidings/config'
import type { Log } from '@tidings/log'
import type { Stores } from '../stores/stores.ts'

/** Kafka as it is configured; null where consumers read the log. One sentence when the file of the CAs cannot be used. */
export const kafkaSettings = async ({ kafka }: Pick<Config, 'kafka'>, log?: Log): Promise<KafkaSettings | null> => {
  const { brokers, prefix, partitions } = kafka
  if (brokers.length === 0) return null
  const tls = await tlsOf(kafka.tls)
  const sasl = kafka.sasl === null ? null : parseKafkaSasl(kafka.sasl)
  return { brokers, prefix, partitions, ...(tls && { tls }), ...(sasl && { sasl }), ...(log && { log }) }
}

const tlsOf = async (tls: Config['kafka']['tls']): Promise<KafkaSettings['tls'] | null> => {
  if (tls === null || tls === 0) return null
  return typeof tls === 'string' ? { ca: await certificatesIn(tls) } : {}
}

/** Node.js would take a file that holds none without a word, and trust nobody then. */
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

/** How events reach the consumers. The client of Kafka is loaded only where Kafka is configured. */
export const transportOf = async (config: Config, log: Log): Promise<Readonly<{ transport?: Transport }>> => {
  const kafka = await kafkaSettings(config, log)
  if (kafka === null) return {}
  const { runKafkaConsumer } = await import('@tidings/bus/kafka')
  return { transport: (options) => runKafkaConsumer({ ...options, kafka }) }
}

type Relaying = Readonly<{ config: Config; log: Log; stores: Pick<Stores, 'store' | 'workPool'> }>

/** Publishes the log to Kafka; null where Kafka is not configured. */
export const startRelaying = async ({ config, log, stores }: Relaying): Promise<RunningRelay | null> => {
  const kafka = await kafkaSettings(config, log)
  if (kafka === null) return null
  const { startRelay } = await import('@tidings/consumers/relay')
  const onFault = (error: unknown) => log.error({ err: error }, 'the relay to Kafka failed; it begins again at its checkpoint')
  return startRelay({ store: stores.store, pool: stores.workPool, kafka, onFault })
}
