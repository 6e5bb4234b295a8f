import type { Kafka } from 'kafkajs'

/**
 * Makes the topic if it is missing, and answers how many partitions it has. Never fewer than `partitions` once that count is `fixed`:
 * an event's partition follows from it, and a smaller topic would have no place for some.
 */
export async function ensureTopic(
  client: Kafka,
  { topic, partitions, fixed }: Readonly<{ topic: string; partitions: number; fixed: boolean }>,
): Promise<number> {
  const admin = client.admin()
  await admin.connect()
  try {
    // Replicated as the cluster does by default. Answers false where the topic exists.
    await admin.createTopics({ topics: [{ topic, numPartitions: partitions }], waitForLeaders: true })
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
    const found = topics[0]?.partitions.length ?? 0
    if (fixed && found < partitions) {
      throw new Error(
        `The topic ${topic} has ${found} partitions, and ${partitions} were written to: enlarge it, or delete it and it is made again.`,
      )
    }
    return fixed ? partitions : found
  } finally {
    await admin.disconnect()
  }
}
