import { pause } from '@tidings/async'

/** `more`: something may be left. */
type Cleaned = Readonly<{ rows: number; more: boolean }>

/**
 * One kind of rows that need not be kept. `run` deletes a bounded batch and answers how many; fewer than `batch` means that nothing is left, where it
 * does not say so itself.
 */
export type RetentionTask = Readonly<{ name: string; batch: number; run: (batch: number) => Promise<number | Cleaned> }>

export type RetentionOptions = Readonly<{
  tasks: readonly RetentionTask[]
  /** Pause between rounds, default 10 min. */
  everyMs?: number
  /** Hears how many rows of a task a batch has deleted, and of 0. */
  onDeleted?: (task: string, rows: number) => void
  onFault?: (error: unknown, task: string) => void
}>

/** The pause between two batches, so that cleaning up never crowds out the work. */
const BETWEEN_BATCHES_MS = 50

/** Runs every task until it has nothing left, again and again. Several processes may do so at once: the batches are taken row by row. */
export function runRetention({ tasks, everyMs = 600_000, onDeleted, onFault }: RetentionOptions): Readonly<{ stop: () => Promise<void> }> {
  const stopping = new AbortController()
  const { signal } = stopping
  const clean = async (task: RetentionTask): Promise<void> => {
    while (!signal.aborted) {
      const done = await task.run(task.batch)
      const { rows, more } = typeof done === 'number' ? { rows: done, more: done >= task.batch } : done
      onDeleted?.(task.name, rows)
      if (!more) return
      await pause(BETWEEN_BATCHES_MS, signal, { ref: false })
    }
  }
  const rounds = async (): Promise<void> => {
    while (!signal.aborted) {
      for (const task of tasks) await clean(task).catch((error: unknown) => onFault?.(error, task.name))
      await pause(everyMs, signal, { ref: false })
    }
  }
  const ended = rounds()
  return {
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}
