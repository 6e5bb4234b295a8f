import { createClient } from './client.ts'
import { explained, KafkaMisconfigured } from './explain.ts'
import type { KafkaSettings } from './settings.ts'

const ONCE = { retries: 0, initialRetryTime: 100, maxRetryTime: 100 }

/** Asks each broker of the settings who belongs to its cluster; rejects with one sentence for the first that cannot be used. */
export async function probeKafka(settings: KafkaSettings): Promise<string> {
  const answers = await Promise.all(settings.brokers.map((broker) => probeBroker(broker, settings)))
  return `${settings.brokers.join(', ')} answer${answers.length === 1 ? 's' : ''}, ${answers[0] ?? 0} broker(s) in the cluster`
}

async function probeBroker(broker: string, settings: KafkaSettings): Promise<number> {
  const one = { ...settings, brokers: [broker] }
  const admin = createClient(one, ONCE).admin()
  try {
    await admin.connect()
    return (await admin.describeCluster()).brokers.length
  } catch (error) {
    const known = explained(error, one)
    if (known instanceof KafkaMisconfigured) throw known
    const said = error instanceof Error ? error.message.replace(/^Connection error: /, '') : String(error)
    throw new Error(`Kafka at ${broker} cannot be used (${said}${hintOf(error, settings)}).`, { cause: error })
  } finally {
    await admin.disconnect().catch(() => undefined)
  }
}

/** A broker that expects TLS or a login closes the connection of a client that begins with neither. */
const hintOf = (error: unknown, { tls, sasl }: KafkaSettings): string => {
  const closed = error instanceof Error && /Closed connection/.test(error.message)
  const missing = [...(tls ? [] : ['TIDINGS_KAFKA_TLS']), ...(sasl ? [] : ['TIDINGS_KAFKA_SASL'])]
  return closed && missing.length > 0 ? `, it may want ${missing.join(' or ')}` : ''
}
