import { Kafka, logLevel } from 'kafkajs'

/** How many records a topic has taken. */
export async function recordsIn(address: string, topic: string): Promise<number> {
  const admin = new Kafka({
    brokers: [address],
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 8 },
  }).admin()
  await admin.connect()
  try {
    return (await admin.fetchTopicOffsets(topic)).reduce((sum, { high }) => sum + Number(high), 0)
  } finally {
    await admin.disconnect()
  }
}
