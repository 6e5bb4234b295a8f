import type { Log } from '@tidings/observability/log'
import type { LowCredits } from '@tidings/wallet'
import { LRUCache } from 'lru-cache'

/** A workspace is named again after an hour: around the threshold a wallet crosses it with every message that is released. */
const REPEAT_MS = 3_600_000
const MAX_WORKSPACES = 1_000

/** One log line for a wallet that falls under the threshold. Never throws: it is called in the middle of a hold. */
export function reportLowCredits(log: Pick<Log, 'warn'>): (low: LowCredits) => void {
  const named = new LRUCache<string, true>({ max: MAX_WORKSPACES, ttl: REPEAT_MS })
  return (low) => {
    if (named.has(low.workspaceId)) return
    named.set(low.workspaceId, true)
    try {
      log.warn({ ...low }, 'the SMS credits of a workspace are low: add more with `tidings credits add`')
    } catch {
      // A log that cannot be written must not cost the message.
    }
  }
}
