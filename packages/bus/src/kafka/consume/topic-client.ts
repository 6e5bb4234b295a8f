import type { Consumer as Client, EachBatchPayload } from 'kafkajs'
import pTimeout from 'p-timeout'
import { createClient, RETRY } from '../client.ts'
import type { KafkaSettings } from '../settings.ts'

/** How long leaving the group may take. Without leaving, the group waits for the end of the member's session, 10 s. */
const LEAVE_MS = 3_000

/**
 * A member of a group of Kafka. The client fetches for 250 ms at a time, because it sends heartbeats between fetches only: that bounds how long joins
 * and leaves take. It never restarts by itself: a consumer that disconnects during a restart joins again a second later.
 */
export function createTopicClient(kafka: KafkaSettings, groupId: string): Client {
  return createClient(kafka).consumer({
    groupId,
    allowAutoTopicCreation: false,
    maxWaitTimeInMs: 250,
    heartbeatInterval: 1_000,
    sessionTimeout: 10_000,
    rebalanceTimeout: 15_000,
    retry: { ...RETRY, restartOnFailure: async () => false },
  })
}

type Joining = Readonly<{
  topic: string
  partitions: number
  ending: AbortSignal
  eachBatch: (payload: EachBatchPayload) => Promise<void>
  /** Hears of the join before it is through. */
  onJoining: (joining: Promise<void>) => void
}>

/** Joins the group. If it is to end by then, it leaves again: the client itself would stay in the group for ever. */
export async function joinGroup(client: Client, { topic, partitions, ending, eachBatch, onJoining }: Joining): Promise<void> {
  await client.connect()
  if (!ending.aborted) await client.subscribe({ topics: [topic], fromBeginning: true })
  // A commit of offsets a partition and fetch is as many requests as fetches: they are committed every two seconds.
  const run = { autoCommit: false, eachBatchAutoResolve: false, partitionsConsumedConcurrently: partitions }
  if (!ending.aborted) {
    const joining = client.run({ ...run, eachBatch })
    onJoining(joining)
    await joining
  }
  if (ending.aborted) await client.disconnect()
}

/** Stops only after it has joined: otherwise the client would stay in the group for its session. Rejects if a broker does not answer. */
export async function leaveGroup(client: Client, joining: Promise<void>): Promise<void> {
  const leaving = joining.catch(() => undefined).then(() => client.disconnect())
  leaving.catch(() => undefined)
  await pTimeout(leaving, { milliseconds: LEAVE_MS })
}
