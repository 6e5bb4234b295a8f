import { setTimeout as sleep } from 'node:timers/promises'
import { backoffDelay } from '@tidings/async'
import { Unavailable } from '@tidings/event-store'
import { isTransient } from '@tidings/postgres'

const DEADLINE_MS = 2_000
const BACKOFF = { minMs: 12.5, maxMs: 400 }

/**
 * Repeats an idempotent piece of work over a short absence of the database, for 2 s; then throws `Unavailable`.
 * An error that no repetition can help is thrown as it is.
 */
export async function retryTransient<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + DEADLINE_MS
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isTransient(error)) throw error
      const wait = backoffDelay(attempt, BACKOFF)
      if (performance.now() + wait > deadline) throw new Unavailable(`${what}: the database does not answer`, { cause: error })
      await sleep(wait)
    }
  }
}
