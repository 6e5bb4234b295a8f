import type { KeyRing } from '@tidings/codec'
import type { EventStore } from '@tidings/event-store'
import { type Anchor, anchorNewestHead, growTree, type HeadInterval, openLogKey, signDueHead } from '@tidings/proof'
import type { Pool } from 'pg'
import { runLeasedRounds } from '../leased-rounds.ts'

export type Proving = Readonly<{
  pool: Pool
  /** The log as it is stored. */
  store: Pick<EventStore, 'readAll'>
  keyRing: Pick<KeyRing, 'installationSecret'>
  /** Null: heads are kept in the database alone. */
  anchor: Anchor | null
  heads: HeadInterval
  everyMs?: number
  /** The delay after the first failure of the anchor; it doubles, up to an hour. Default 30 s. */
  retryMs?: number
  now: () => Date
  /** Called with what keeps the log from being proven or anchored, once for each message; with null when that is over. */
  onFault: (error: unknown) => void
}>

const EVERY_MS = 1_000
const RETRY_MS = 30_000
const LONGEST_RETRY_MS = 3_600_000

/** Calls the anchor; after a failure not before a delay that doubles. What it throws is thrown again meanwhile: the fault is not over. */
const withBackoff = (retryMs: number, anchor: () => Promise<void>): ((now: number) => Promise<void>) => {
  let retryAt = 0
  let delayMs = retryMs
  let fault: unknown
  return async (now) => {
    if (now < retryAt) throw fault
    try {
      await anchor()
      retryAt = 0
      delayMs = retryMs
    } catch (error) {
      fault = error
      retryAt = now + delayMs
      delayMs = Math.min(delayMs * 2, LONGEST_RETRY_MS)
      throw error
    }
  }
}

/**
 * Keeps the tree over the log at its end, signs heads of it and anchors them; in one process at a time. A round is right in two at once:
 * what one adds or signs, the other finds.
 */
export function keepProving({
  pool,
  store,
  keyRing,
  anchor,
  heads,
  everyMs = EVERY_MS,
  retryMs = RETRY_MS,
  now,
  onFault,
}: Proving): Readonly<{ stop: () => Promise<void> }> {
  let fault: string | null = null
  const report = (error: unknown): void => {
    const message = error === null ? null : String(error)
    if (message !== fault) onFault(error)
    fault = message
  }
  const anchorNewest = withBackoff(retryMs, async () => {
    if (anchor !== null) await anchorNewestHead(pool, await openLogKey(keyRing), anchor)
  })
  const rounds = runLeasedRounds({
    pool,
    task: 'log proof',
    everyMs,
    round: async (ending) => {
      await growTree({ pool, store, signal: ending })
      await signDueHead(pool, await openLogKey(keyRing), heads, now)
      await anchorNewest(performance.now())
      report(null)
    },
    // The process that works says what is wrong.
    onOther: () => report(null),
    onFault: report,
  })
  return {
    stop: async () => {
      await rounds.stop()
      await anchor?.close()
    },
  }
}
