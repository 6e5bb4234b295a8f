import { pause, repeat, startTicker } from '@tidings/async'
import type { EventLog } from '@tidings/codec'
import type { Position } from '@tidings/event-store'
import { isTransient } from '@tidings/postgres'
import type { Pool } from 'pg'
import { diffProjection } from '../diff/diff-projection.ts'
import type { AnyProjection } from '../projection.ts'
import { rebuildBeside, swapBack, swapNext } from '../rebuild/beside.ts'
import type { RebuildOptions } from '../rebuild/options.ts'
import type { RebuildThreads } from '../rebuild/parts/part-thread.ts'
import { rebuild } from '../rebuild/rebuild.ts'
import { RebuildRefused } from '../rebuild/refused.ts'
import {
  type EndedJob,
  endJob,
  endLostJobs,
  type JobResult,
  noteReached,
  type ProjectionAct,
  type ProjectionJob,
  takeJob,
} from './job-table.ts'

/** `projectionNamed` throws for a name that this program does not have. `onFault` hears what is no refusal. */
type JobRunner = Readonly<{
  pool: Pool
  log: EventLog
  threads?: RebuildThreads | undefined
  projectionNamed: (name: string) => AnyProjection
  onFault: (error: unknown, job: ProjectionJob | null) => void
  everyMs?: number
}>

const EVERY_MS = 2_000
const SAY_MS = 1_000

/** Zero before the first event. */
const placeOf = ({ commit }: Position): number => Math.max(0, Number(commit))

const ofTables = (tables: JobResult['tables']): JobResult => ({ events: null, parked: null, tables })
const ofRun = ({ events = null, parked }: Readonly<{ events?: number | null; parked: number }>): JobResult => ({
  events,
  parked,
  tables: null,
})

/** The commands of `tidings projection`, each over the same code. */
const ACTS: Readonly<Record<ProjectionAct, (options: RebuildOptions) => Promise<JobResult>>> = {
  rebuild: async (options) => ofRun(await rebuild(options)),
  rebuild_beside: async (options) => ofRun(await rebuildBeside(options)),
  compare: async (options) => {
    const { tables } = await diffProjection({ ...options, first: 0, values: false })
    return ofTables(tables.map(({ table, equal, different, onlyLive, onlyNext }) => ({ table, equal, different, onlyLive, onlyNext })))
  },
  swap: async (options) => ofRun(await swapNext(options)),
  swap_back: async (options) => ofRun(await swapBack(options)),
}

/**
 * Does what waits in `ops.dashboard_job`, one job after the other. Two processes never work on one projection: the row is taken once, and the lock of a
 * rebuild refuses the second. A stop cancels a rebuild, whose job is `interrupted` then, as that of a process that was killed is after half a minute.
 */
export function runProjectionJobs(runner: JobRunner): Readonly<{ stop: () => Promise<void> }> {
  const { pool, onFault, everyMs = EVERY_MS } = runner
  return repeat({
    ref: false,
    afterFault: (error) => {
      onFault(error, null)
      return everyMs
    },
    round: async (signal) => {
      await endLostJobs(pool)
      const job = await takeJob(pool)
      if (job === null) return everyMs
      await runJob(runner, job, signal)
      return 0
    },
  })
}

async function runJob(
  { pool, log, threads, projectionNamed, onFault }: JobRunner,
  job: ProjectionJob,
  stopping: AbortSignal,
): Promise<void> {
  const lost = new AbortController()
  const signal = AbortSignal.any([stopping, lost.signal])
  const reached = { done: job.done, total: job.total }
  const saying = startTicker(SAY_MS, async () => {
    // A database that is away says nothing of the job.
    if (!(await noteReached(pool, job.id, reached).catch(() => true))) lost.abort()
  })
  const act = async (): Promise<EndedJob> => {
    const result = await ACTS[job.act]({
      ...{ pool, log, threads, signal, projection: projectionNamed(job.projection) },
      onProgress: ({ position, head }) => {
        reached.done = placeOf(position)
        reached.total = placeOf(head)
      },
    })
    return { state: 'done', result, error: null }
  }
  const failed = (error: unknown): EndedJob => {
    if (!(error instanceof RebuildRefused) && !signal.aborted) onFault(error, job)
    const said = error instanceof RebuildRefused ? error.message : null
    return { state: signal.aborted ? 'interrupted' : 'failed', result: null, error: said }
  }
  try {
    const ended = await act().catch(failed)
    await untilNoted(stopping, async () => {
      await noteReached(pool, job.id, reached)
      await endJob(pool, job.id, ended)
    })
  } finally {
    saying.stop()
  }
}

/** The database may be away when the end is to be noted: an operator who reads that a swap failed would ask for it again. */
async function untilNoted(stopping: AbortSignal, note: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await note()
    } catch (error) {
      if (!isTransient(error) || stopping.aborted) throw error
    }
    await pause(SAY_MS, stopping)
  }
}
