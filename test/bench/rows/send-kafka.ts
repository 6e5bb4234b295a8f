import type { Group } from '../lib/bench.ts'
import { startKafka } from '../lib/kafka.ts'
import { mail, sendRows } from './send.ts'

/** The same as `send` with Kafka between the log and the consumers, relay and broker on this machine too. At least 0.7 of the direct path. */
export const sendKafka: Group = {
  name: 'send-kafka',
  run: async (bench) => {
    const broker = await startKafka(bench)
    if (broker === null) return []
    return await sendRows(bench, { channel: mail, way: ', with Kafka between', env: { TIDINGS_KAFKA_BROKERS: broker }, atLeast: 2_800 })
  },
}
