import { createClient } from '../../src/kafka/client.ts'

/** A process that connects to a broker once, and then sets a timer below zero itself if its argument says so. */
const [broker = '', own] = process.argv.slice(2)
const admin = createClient({ brokers: [broker], prefix: 'quiet', partitions: 1 }).admin()
await admin.connect()
await admin.listTopics()
await admin.disconnect()
if (own !== undefined) process.emitWarning('ours', 'TimeoutNegativeWarning')
