import type { Group } from '../lib/bench.ts'
import { startKafka } from '../lib/kafka.ts'
import { webhookRows } from './webhooks.ts'

/** The same as `webhooks` with Kafka between the log and the consumers, relay and broker on this machine too. */
export const webhooksKafka: Group = {
  name: 'webhooks-kafka',
  run: async (bench) => {
    const broker = await startKafka(bench)
    if (broker === null) return []
    return await webhookRows(bench, ', with Kafka between', { TIDINGS_KAFKA_BROKERS: broker })
  },
}
