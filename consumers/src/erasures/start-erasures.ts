import { runDirectConsumer, type Transport } from '@tidings/bus'
import type { Logger } from '@tidings/observability/log'
import { observe, sharedRead } from '@tidings/observability/metrics'
import { createFirstHeads } from '@tidings/projections'
import type { Pool } from 'pg'
import { runLeasedRounds } from '../leased-rounds.ts'
import type { RunningConsumers } from '../running.ts'
import { eraseContact } from './erase-contact.ts'
import type { Erasing } from './erasing.ts'
import { erasureConsumer } from './erasure-consumer.ts'
import { type ErasureRef, openErasures, type Unfinished, unfinishedErasures } from './erasure-table.ts'
import { finishErased } from './finish-erased.ts'

/**
 * `requestPool`: for what is read at a scrape. `canWork`: whether this process has the master key in force. `afterSeconds`: how long the process that was asked has for
 * it. `everyMs`: between two rounds of `limit` each.
 */
export type ErasuresOptions = Erasing &
  Readonly<{
    requestPool: Pool
    canWork: () => boolean
    logger: Logger
    transport?: Transport
    afterSeconds?: number
    everyMs?: number
    limit?: number
  }>

const LIMIT = 100
/** A round of a hundred that all wait comes back to the first after an hour. */
const KEPT_MS = 6 * 3_600_000

/**
 * Finishes the erasures that were asked for and left, in one process at a time. A round goes on behind the last one that was tried, so that those
 * that fail again and again delay no other.
 */
export function startErasures(options: ErasuresOptions): RunningConsumers {
  const { log, pool, canWork, logger, transport = runDirectConsumer, afterSeconds = 30, everyMs = 15_000, limit = LIMIT } = options
  const onFault = (error: unknown): void => logger.warn({ err: error }, 'an erasure could not be finished; it is tried again')
  observeErasures(options.requestPool)
  const erasing: Erasing = { heads: createFirstHeads(() => log.head(), { keptMs: KEPT_MS }), ...options }
  let tried: Unfinished | null = null
  // The group reads from the start of the log: the request may be older than the group.
  const running = transport({ consumer: erasureConsumer, log, pool, startAt: 'start', onFault })
  const rounds = runLeasedRounds({
    pool,
    task: 'erasures',
    everyMs,
    canWork,
    onFault,
    round: async (ending) => {
      const some: readonly Unfinished[] = await unfinishedErasures(pool, { afterSeconds, limit, behind: tried })
      for (const of of some) {
        if (ending.aborted) return
        await finish(erasing, of, ending).catch((error: unknown) => {
          if (!ending.aborted) onFault(error)
        })
        tried = of
      }
      if (some.length < limit) tried = null
    },
  })
  return {
    views: [],
    progress: () => ({ [running.group]: running.progress() }),
    stop: async () => {
      await Promise.all([running.stop(), rounds.stop()])
    },
  }
}

/** Erasures of persons that are not finished, in the installation. */
const observeErasures = (pool: Pool): void => {
  const open = sharedRead(() => openErasures(pool))
  observe({ name: 'tidings_erasures_open', help: 'Erasures of persons that are not finished', read: async () => (await open()).open })
  observe({
    name: 'tidings_erasure_oldest_seconds',
    help: 'How long the oldest of them has been waiting',
    read: async () => (await open()).oldestSeconds,
  })
}

const finish = async (erasing: Erasing, of: ErasureRef, ending: AbortSignal): Promise<void> => {
  if (!(await finishErased(erasing, of))) await eraseContact(erasing, of, ending)
}
