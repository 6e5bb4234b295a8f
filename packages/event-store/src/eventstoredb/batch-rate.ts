import { pause } from '@tidings/async'

/**
 * Lets a batch through at once after silence, otherwise so long after the one before: a fifth of `ms` for each event that it had, at most `ms`.
 * So one writer alone waits little, and many share a batch. One caller at a time.
 */
export type BatchRate = Readonly<{
  /** Resolves early when the signal aborts. */
  next: (signal: AbortSignal) => Promise<void>
  passed: (events: number) => void
}>

const SHARES = 5

/** Even an immediate batch leaves a turn of the event loop later: all that one packet brings is then there. */
export function createBatchRate(ms: number): BatchRate {
  let due = Number.NEGATIVE_INFINITY
  return {
    next: async (signal) => {
      await new Promise((resolve) => setImmediate(resolve))
      const wait = due - performance.now()
      if (wait > 0) await pause(wait, signal)
    },
    passed: (events) => {
      due = performance.now() + (ms * Math.min(events, SHARES)) / SHARES
    },
  }
}
