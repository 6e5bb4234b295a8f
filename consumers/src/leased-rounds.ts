import { repeat, unlessAborted } from '@tidings/async'
import { Fenced, leaseHolder, leaseTable } from '@tidings/jobs'
import type { Pool } from 'pg'

/**
 * `round`: one round of the work, while this process has the lease. `onOther`: another process has it. `canWork`: where it says no, this process leaves the
 * lease to others, as one that lacks the master key in force does.
 */
export type LeasedRounds = Readonly<{
  pool: Pool
  /** The row of `ops.task_lease`. */
  task: string
  /** The pause between two rounds. */
  everyMs: number
  canWork: () => boolean
  round: (ending: AbortSignal) => Promise<void>
  onOther?: () => void
  onFault: (error: unknown) => void
}>

/** Leases of tasks that one process at a time runs, by the task's name. */
export const taskLeases = leaseTable({ table: 'ops.task_lease', name: 'task', expiresAt: 'expires_at', leaseMs: 60_000, creates: true })

/**
 * Repeats a task in one process at a time, the one that did it last; after a round that failed, another may try. The lease only saves the others the
 * work: a round must be right in two processes at once, and in one that lost its lease in the middle.
 */
export function runLeasedRounds({
  pool,
  task,
  everyMs,
  canWork,
  round,
  onOther,
  onFault,
}: LeasedRounds): Readonly<{ stop: () => Promise<void> }> {
  const stopping = new AbortController()
  const { signal } = stopping
  const holder = leaseHolder({ leases: taskLeases, pool, name: task, signal })

  const leased = async (): Promise<void> => {
    if (!canWork()) await holder.release()
    else if (await holder.act((_, ending) => round(ending))) return
    onOther?.()
  }

  const leave = async (error: unknown): Promise<void> => {
    if (!signal.aborted && !(error instanceof Fenced)) onFault(error)
    await holder.release()
  }

  const repeating = repeat({
    firstWait: everyMs,
    ref: false,
    round: async () => {
      // A log or a database that is away may keep a round longer than a stop may take.
      await unlessAborted(leased().catch(leave), signal)
      return everyMs
    },
  })

  return {
    stop: async () => {
      stopping.abort()
      await repeating.stop()
      await holder.release()
    },
  }
}
