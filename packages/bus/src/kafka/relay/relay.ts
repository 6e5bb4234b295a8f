import { randomUUID } from 'node:crypto'
import { pause, type Repeating, repeat, unlessAborted } from '@tidings/async'
import { comparePositions } from '@tidings/event-store'
import { Fenced } from '@tidings/jobs'
import type { Kafka } from 'kafkajs'
import { textOf, unknownIn } from '../../unknown-event.ts'
import { createClient } from '../client.ts'
import { explained } from '../explain.ts'
import { topicOf } from '../settings.ts'
import { lead } from './lead.ts'
import { knownTopic, publishedUpTo, takeLead, topicLeases } from './relay-lease.ts'
import type { RelayOptions, RelayTally, RunningRelay } from './relay-options.ts'

const STAND_BY_MS = 1_000
const AFTER_FAULT_MS = 1_000

/**
 * Publishes the log to Kafka, in its order. One process leads, under a lease; others stand by. A crash between sending and the checkpoint
 * publishes a suffix again, which consumers drop. The outcome of a failed send is unknown: the next attempt uses a new producer and starts at
 * the checkpoint.
 */
export function runRelay(options: RelayOptions): RunningRelay {
  const tally: RelayTally = { leader: false, position: null, lagSeconds: 0, published: 0, fault: null, unknown: null }
  const relaying = keepRelaying(options, tally)
  return {
    progress: () => {
      const { fault: _, unknown, ...progress } = tally
      return { ...progress, unknownEvent: unknown === null ? null : textOf(unknown) }
    },
    ready: async () => {
      if (tally.fault !== null) throw tally.fault
    },
    stop: relaying.stop,
  }
}

function keepRelaying(options: RelayOptions, tally: RelayTally): Repeating {
  const owner = randomUUID()
  const reset = (): void => void Object.assign(tally, { leader: false, position: null, lagSeconds: 0 })
  return repeat({
    round: async (signal) => {
      if (tally.unknown === null) await relayOnce(options, { owner, signal, tally })
      else await waitUntilPublished(options, tally, signal)
      reset()
      return 0
    },
    afterFault: (error) => {
      reset()
      tally.unknown ??= unknownIn(error)
      if (!(error instanceof Fenced)) {
        tally.fault = explained(error, options.kafka)
        options.onFault?.(tally.fault)
      }
      return AFTER_FAULT_MS
    },
  })
}

/** Waits until a newer process has published beyond what this build does not know. */
async function waitUntilPublished({ pool, kafka }: RelayOptions, tally: RelayTally, signal: AbortSignal): Promise<void> {
  if (tally.unknown === null) return
  const published = await publishedUpTo(pool, topicOf(kafka))
  if (published !== null && comparePositions(published, tally.unknown.position) >= 0) tally.unknown = null
  else await pause(STAND_BY_MS, signal)
}

type Attempt = Readonly<{ owner: string; signal: AbortSignal; tally: RelayTally }>

async function relayOnce(options: RelayOptions, { owner, signal, tally }: Attempt): Promise<void> {
  const { store, pool, kafka, types } = options
  const topic = topicOf(kafka)
  const known = await knownTopic(pool, topic)
  if (known?.led) {
    tally.fault = null
    return await pause(STAND_BY_MS, signal)
  }
  const client = createClient(kafka)
  const wanted = { topic, partitions: known?.partitions ?? kafka.partitions, fixed: known !== null }
  const partitions = await unlessAborted(ensureTopic(client, wanted), signal)
  if (partitions === null) return
  const head = await unlessAborted(store.head(), signal)
  if (head === null) return
  const taken = await takeLead(pool, { topic, owner, types, partitions, head })
  tally.fault = null
  if (taken === null) return await pause(STAND_BY_MS, signal)
  try {
    await lead({ ...options, client, lead: taken, signal, tally })
  } finally {
    await topicLeases.release(pool, taken.lease).catch((error: unknown) => options.onFault?.(error))
  }
}

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
