import { setTimeout as sleep } from 'node:timers/promises'

/** Opens something, after the delay that its last failures ask for. */
export type ConnectBackoff = <Opened>(open: () => Promise<Opened>) => Promise<Opened>

const MIN_DELAY_MS = 50
const MAX_DELAY_MS = 500

/**
 * Attempts run in parallel as long as they succeed. After a failure there is one attempt at a time, with growing delays up to half a second
 * between them, and calls that come meanwhile share its outcome: a server that is away costs two attempts a second, however many callers
 * there are, and each failed call has an attempt that ended after the call. Callers queued behind a failed call share its failure too: they
 * call in the same turn of the event loop. `pause` waits so many milliseconds.
 */
export function createConnectBackoff(pause: (ms: number) => Promise<unknown> = sleep): ConnectBackoff {
  let delayMs = 0
  let probe: Promise<unknown> | undefined
  let failed: Promise<never> | undefined
  const attempt = async <Opened>(open: () => Promise<Opened>): Promise<Opened> => {
    try {
      const opened = await open()
      delayMs = 0
      return opened
    } catch (error) {
      delayMs ||= MIN_DELAY_MS
      failed = Promise.reject(error)
      setImmediate(() => {
        failed = undefined
      })
      return await failed
    }
  }
  const later = async <Opened>(open: () => Promise<Opened>): Promise<Opened> => {
    await pause(delayMs)
    delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)
    return await attempt(open)
  }
  return async (open) => {
    if (failed !== undefined) return await failed
    if (delayMs > 0 && probe === undefined) {
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
