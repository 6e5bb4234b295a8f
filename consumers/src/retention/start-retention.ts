import { pause, type Repeating, repeat } from '@tidings/async'
import { databaseNow } from '@tidings/async/clock'
import { forgetTraces } from '@tidings/event-store/event-traces'
import { forgetDeadLetters, shortenLeases } from '@tidings/jobs'
import type { Logger } from '@tidings/observability/log'
import { counter, observe } from '@tidings/observability/metrics'
import { type Dropped, dropExpired } from '@tidings/projections'
import { deleteOldParts } from '@tidings/receipts'
import type { Pool } from 'pg'
import { forgetCounted } from '../send/marketing-count.ts'
import { shortenQueueLeases } from '../webhooks/queue/statements.ts'
import { detailTasks } from './detail-tasks.ts'
import { dueUntil, type Ending, type RetentionDays } from './end-details.ts'
import { openEnds } from './ended-details-table.ts'
import type { RetentionTask } from './retention-task.ts'

/**
 * `requestPool`: for what is read at a scrape. `contentDays`: for how long what messages say is kept; `detailDays`: details inside of events.
 * `otherTasks`: of parts that keep rows of their own.
 */
type RetentionOptions = Readonly<{
  log: Ending['log']
  pool: Pool
  requestPool: Pool
  commands: Ending['commands']
  keyRing: Ending['keyRing']
  content: Readonly<{ deleteOlderThan: (days: number) => Promise<number> }>
  contentDays: number
  detailDays: RetentionDays
  otherTasks: readonly RetentionTask[]
  logger: Logger
}>

const DEAD_LETTER_DAYS = 30
const EVERY_MS = 600_000
/** The pause between two batches, so that cleaning up never crowds out the work. */
const BETWEEN_BATCHES_MS = 50

const DROPPED = {
  previous: 'the tables that a swap took out a day ago were dropped',
  next: 'tables that were built beside the live ones, and not finished or not swapped in within a week, were dropped',
} as const satisfies Record<Dropped['generation'], string>

const deleted = counter({
  name: 'tidings_retention_deleted_total',
  help: 'Rows that were deleted because their time was over, by task; a task that was never run has no series',
  labelNames: ['task'],
})

/** Deletes what is past its retention. Details of events have a loop of their own: to clear a table takes longer than what is deleted within the hour may wait. */
export function startRetention(options: RetentionOptions): Readonly<{ stop: () => Promise<void> }> {
  const { log, pool, commands, keyRing, detailDays: days, logger } = options
  observe({
    name: 'tidings_retention_details_open',
    help: 'Ends of details of events, by workspace and kind, that are due and not yet in every table',
    read: () => openEnds(options.requestPool, dueUntil(days, databaseNow())),
  })
  const reporting = {
    onDeleted: (task: string, rows: number) => deleted.inc({ task }, rows),
    onFault: (error: unknown, task: string) => logger.warn({ err: error, task }, 'a retention task failed; it is tried again'),
  }
  const loops = [rowTasks(options), detailTasks({ log, pool, commands, keyRing, days })].map((tasks) =>
    repeatTasks({ tasks, ...reporting }),
  )
  return {
    stop: async () => {
      await Promise.all(loops.map(({ stop }) => stop()))
    },
  }
}

const rowTasks = ({ pool, content, contentDays, otherTasks, logger }: RetentionOptions): readonly RetentionTask[] => [
  { name: 'message content', batch: 1, run: () => content.deleteOlderThan(contentDays) },
  { name: 'parts of text messages', batch: 1_000, run: (batch) => deleteOldParts(pool, batch) },
  { name: 'counted marketing messages', batch: 1_000, run: (batch) => forgetCounted(pool, batch) },
  { name: 'traces of events', batch: 1_000, run: (batch) => forgetTraces(pool, batch) },
  ...otherTasks,
  { name: 'leases of a clock that was ahead', batch: 1_000, run: (batch) => shortenLeases(pool, batch) },
  { name: 'queues of a clock that was ahead', batch: 1_000, run: (batch) => shortenQueueLeases(pool, batch) },
  { name: 'tables beside the live ones', batch: 1, run: () => dropTables(pool, logger) },
  { name: 'settled dead letters', batch: 1_000, run: (batch) => forgetDeadLetters(pool, DEAD_LETTER_DAYS, batch) },
]

const dropTables = async (pool: Pool, logger: Logger): Promise<number> => {
  const dropped = await dropExpired(pool)
  if (dropped !== null) logger.info({ projection: dropped.projection }, DROPPED[dropped.generation])
  return dropped === null ? 0 : 1
}

/** `onDeleted` hears how many rows of a task a batch has deleted, and of 0. */
type Repeated = Readonly<{
  tasks: readonly RetentionTask[]
  onDeleted: (task: string, rows: number) => void
  onFault: (error: unknown, task: string) => void
}>

/** Runs every task until it has nothing left, again and again. Several processes may do so at once: the batches are taken row by row. */
export function repeatTasks({ tasks, onDeleted, onFault }: Repeated): Repeating {
  const clean = async (task: RetentionTask, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const done = await task.run(task.batch)
      const { rows, more } = typeof done === 'number' ? { rows: done, more: done >= task.batch } : done
      onDeleted(task.name, rows)
      if (!more) return
      await pause(BETWEEN_BATCHES_MS, signal, { ref: false })
    }
  }
  return repeat({
    ref: false,
    round: async (signal) => {
      for (const task of tasks) await clean(task, signal).catch((error: unknown) => onFault(error, task.name))
      return EVERY_MS
    },
  })
}
