import { setTimeout as sleep } from 'node:timers/promises'

/** Opens something, at the pace that its last failures leave. */
export type Pace = <Opened>(open: () => Promise<Opened>) => Promise<Opened>

const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 500

/**
 * Attempts run side by side as long as they succeed. After one that failed there is one at a time, with growing waits up to half a second between,
 * and whoever asks meanwhile shares its outcome: what is away costs two attempts a second, however many ask for it, and nobody is refused
 * without an attempt that ended after the question. Those behind them in a queue share the failure too: they ask in the same turn of the
 * event loop. `pause` waits so many milliseconds.
 */
export const createPace = (pause: (ms: number) => Promise<unknown> = sleep): Pace => {
  let wait = 0
  let probe: Promise<unknown> | undefined
  let failed: Promise<never> | undefined
  const attempt = async <Opened>(open: () => Promise<Opened>): Promise<Opened> => {
    try {
      const opened = await open()
      wait = 0
      return opened
    } catch (error) {
      wait ||= FIRST_WAIT_MS
      failed = Promise.reject(error)
      setImmediate(() => {
        failed = undefined
      })
      return await failed
    }
  }
  const later = async <Opened>(open: () => Promise<Opened>): Promise<Opened> => {
    await pause(wait)
    wait = Math.min(wait * 2, LONGEST_WAIT_MS)
    return await attempt(open)
  }
  return async (open) => {
    if (failed !== undefined) return await failed
    if (wait > 0 && probe === undefined) {
      const first = later(open).finally(() => {
        probe = undefined
      })
      probe = first
      return await first
    }
    await probe
    return await attempt(open)
  }
}
