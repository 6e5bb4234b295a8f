import { randomUUID } from 'node:crypto'
import { pause, unlessAborted } from '@tidings/async'
import { comparePositions, type EventStore, type Position } from '@tidings/event-store'
import { Fenced } from '@tidings/leases'
import type { Pool } from 'pg'
import { textOf, type UnknownEvent, unknownIn } from '../unknown-event.ts'
import { createClient } from './client.ts'
import { explained } from './explain.ts'
import { lead } from './lead.ts'
import { knownTopic, publishedUpTo, takeLead, topicLeases } from './relay-lease.ts'
import { type KafkaSettings, topicOf } from './settings.ts'
import { ensureTopic } from './topic.ts'

/**
 * `types`: what is published, and nothing else. The store, not the log: what is personal leaves it as it is stored, sealed.
 * `declared`: every type that this build knows. Behind one of ours that is not among them it publishes nothing: a newer build may publish
 * it, and consumers must not be told of what comes after. Without it every type counts as known.
 */
export type RelayOptions = Readonly<{
  store: EventStore
  pool: Pool
  kafka: KafkaSettings
  types: readonly string[]
  declared?: ReadonlySet<string>
  onFault?: (error: unknown) => void
}>

/**
 * `position`: how far this process has published, null while another leads. `published`: events since the start. `unknownEvent`: what a newer
 * build wrote, where this process gave the lead back; null again once a newer process has published beyond it.
 */
export type RelayProgress = Readonly<{
  leader: boolean
  position: Position | null
  lagSeconds: number
  published: number
  unknownEvent: string | null
}>

export type RunningRelay = Readonly<{
  progress: () => RelayProgress
  /** Rejects, with the reason, while neither this process nor another is known to publish. */
  ready: () => Promise<void>
  /** Finishes what is being sent (at most 3 s), then lets the next process lead at once. */
  stop: () => Promise<void>
}>

export type RelayTally = {
  leader: boolean
  position: Position | null
  lagSeconds: number
  published: number
  fault: unknown
  unknown: UnknownEvent | null
}

const STAND_BY_MS = 1_000
const AFTER_FAULT_MS = 1_000

/**
 * Publishes the log to Kafka, in its order. One process leads, under a lease; others stand by. A crash between sending and the checkpoint
 * publishes a suffix again, which consumers drop. A send that fails leaves its outcome unknown: the producer is thrown away, and the next
 * begins at the checkpoint.
 */
export function runRelay(options: RelayOptions): RunningRelay {
  const stopping = new AbortController()
  const tally: RelayTally = { leader: false, position: null, lagSeconds: 0, published: 0, fault: null, unknown: null }
  const ended = keepRelaying(options, stopping.signal, tally)
  return {
    progress: () => {
      const { fault: _, unknown, ...told } = tally
      return { ...told, unknownEvent: unknown === null ? null : textOf(unknown) }
    },
    ready: async () => {
      if (tally.fault !== null) throw tally.fault
    },
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}

async function keepRelaying(options: RelayOptions, signal: AbortSignal, tally: RelayTally): Promise<void> {
  const owner = randomUUID()
  while (!signal.aborted) {
    try {
      if (tally.unknown === null) await relayOnce(options, { owner, signal, tally })
      else await standAside(options, tally, signal)
    } catch (error) {
      tally.unknown ??= unknownIn(error)
      if (!(error instanceof Fenced)) {
        tally.fault = explained(error, options.kafka)
        options.onFault?.(tally.fault)
      }
      await pause(AFTER_FAULT_MS, signal)
    }
    Object.assign(tally, { leader: false, position: null, lagSeconds: 0 })
  }
}

/** Waits until a newer process has published beyond what this build does not know. */
async function standAside({ pool, kafka }: RelayOptions, tally: RelayTally, signal: AbortSignal): Promise<void> {
  if (tally.unknown === null) return
  const published = await publishedUpTo(pool, topicOf(kafka))
  if (published !== null && comparePositions(published, tally.unknown.position) >= 0) tally.unknown = null
  else await pause(STAND_BY_MS, signal)
}

type Turn = Readonly<{ owner: string; signal: AbortSignal; tally: RelayTally }>

async function relayOnce(options: RelayOptions, { owner, signal, tally }: Turn): Promise<void> {
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
