import { randomUUID } from 'node:crypto'
import type { KafkaMessage } from 'kafkajs'
import type { KafkaWorld } from './kafka-world.ts'

export type ReadMessage = Readonly<{ partition: number; message: KafkaMessage }>

/** Everything in the topic now, in the order of each partition. */
export async function topicContents({ client, topic }: KafkaWorld): Promise<readonly ReadMessage[]> {
  const admin = client.admin()
  const offsets = await admin.fetchTopicOffsets(topic)
  await admin.disconnect()
  const expected = offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0)
  const read: ReadMessage[] = []
  const consumer = client.consumer({ groupId: `reader-${randomUUID()}`, maxWaitTimeInMs: 50 })
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  const done = Promise.withResolvers<void>()
  if (expected === 0) done.resolve()
  await consumer.run({
    eachMessage: async ({ partition, message }) => {
      read.push({ partition, message })
      if (read.length === expected) done.resolve()
    },
  })
  await done.promise
  await consumer.disconnect()
  return read
}
