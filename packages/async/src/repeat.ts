import { pause } from './abort.ts'

/** A number: no wake ends the wait. `atLeastMs` pass in any case; then a wake that has come ends it, and `atMostMs` do. */
export type Wait = number | Readonly<{ atLeastMs: number; atMostMs: number }>

/** `firstWait`: before the first round. `ref: false`: the waits do not keep the process alive. */
export type RepeatOptions = Readonly<{
  /** Answers how long to wait until the next round. Its signal aborts at the stop. */
  round: (signal: AbortSignal) => Promise<Wait>
  /** The wait after a round that failed. Without it a round must not reject. */
  afterFault?: (error: unknown, signal: AbortSignal) => Wait
  firstWait?: Wait
  ref?: boolean
}>

/** `stop` resolves when the round that is under way has ended. */
export type Repeating = Readonly<{ wake: () => void; stop: () => Promise<void> }>

/**
 * Does one round after the other until it is stopped, each after the end of the one before and a wait. A wake that comes during a round counts
 * for the wait after it. What ticks by the clock is `startTicker`; a round that may hang gives up by its signal.
 */
export function repeat({ round, afterFault, firstWait = 0, ref = true }: RepeatOptions): Repeating {
  const stopping = new AbortController()
  const { signal } = stopping
  let woken = new AbortController()
  const waitFor = async (wait: Wait): Promise<void> => {
    const { atLeastMs, atMostMs } = typeof wait === 'number' ? { atLeastMs: wait, atMostMs: wait } : wait
    if (atLeastMs > 0) await pause(atLeastMs, signal, { ref })
    if (atMostMs > atLeastMs && !woken.signal.aborted) await pause(atMostMs - atLeastMs, AbortSignal.any([signal, woken.signal]), { ref })
  }
  const rounds = async (): Promise<void> => {
    await waitFor(firstWait)
    while (!signal.aborted) {
      woken = new AbortController()
      const wait = await (afterFault ? round(signal).catch((error: unknown) => afterFault(error, signal)) : round(signal))
      if (!signal.aborted) await waitFor(wait)
    }
  }
  const ended = rounds()
  return {
    wake: () => woken.abort(),
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}
