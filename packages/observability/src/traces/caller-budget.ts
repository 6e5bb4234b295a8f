/** So many requests of callers that are not known, or not yet, are recorded in a burst, and so many a second after that. */
const BURST = 200
const A_SECOND = 20

/**
 * Bounds what callers without a key can make a process record (M69), whatever their `traceparent` says: each request takes a place, and gives it back when its
 * caller is known. `now`: milliseconds of a clock that only goes on.
 */
export function callerBudget(now: () => number = () => performance.now()): Readonly<{ take: () => boolean; giveBack: () => void }> {
  let left = BURST
  let at = now()
  return {
    take: () => {
      const later = now()
      left = Math.min(BURST, left + ((later - at) / 1_000) * A_SECOND)
      at = later
      if (left < 1) return false
      left--
      return true
    },
    giveBack: () => {
      left = Math.min(BURST, left + 1)
    },
  }
}
