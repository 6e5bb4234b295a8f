import { entriesUpTo } from '@tidings/async'
import { type Position, START } from '@tidings/event-store'
import { LRUCache } from 'lru-cache'

/**
 * Remembers the log's head at the time when a decision first asked. A read side that is always a little behind reaches that position in the
 * end, but never the newest one. `decision` is an identifier that is never used for another decision: another process may make this one, and
 * this process does not hear of that.
 */
export type FirstHeads = Readonly<{
  of: (decision: string) => Promise<Position>
  /** The same for several, which share one head where they ask for the first time. */
  ofAll: (decisions: readonly string[]) => Promise<ReadonlyMap<string, Position>>
  forget: (decision: string) => void
}>

/** `keptMs`: since a decision last asked, default 2 min; `now`: milliseconds of a clock that only goes on. */
export type FirstHeadsOptions = Readonly<{ keptMs?: number; now?: () => number }>

/** Beyond this number the oldest decision is forgotten, and takes a new head when it asks again. */
const MAX_DECISIONS = 20_000
const KEPT_MS = 120_000

export function createFirstHeads(
  head: () => Promise<Position>,
  { keptMs = KEPT_MS, now = () => performance.now() }: FirstHeadsOptions = {},
): FirstHeads {
  const asked = new LRUCache<string, Position>({ ...entriesUpTo(MAX_DECISIONS), ttl: keptMs, ttlResolution: 0, perf: { now } })
  const ofAll: FirstHeads['ofAll'] = async (decisions) => {
    const known = new Map(decisions.map((decision) => [decision, asked.get(decision)]))
    const first = decisions.some((decision) => known.get(decision) === undefined) ? await head() : START
    return new Map(
      decisions.map((decision) => {
        // The earlier head of two that asked at the same moment is enough for both.
        const position = known.get(decision) ?? asked.get(decision) ?? first
        asked.set(decision, position)
        return [decision, position]
      }),
    )
  }
  return {
    of: async (decision) => (await ofAll([decision])).get(decision) ?? START,
    ofAll,
    forget: (decision) => void asked.delete(decision),
  }
}
