const FRESH_MS = 5_000

/**
 * One read for all who ask: those who come while it runs wait for it, those who come within 5 s after it get what it found. So scrapes
 * cannot load the database, however many there are. A failure is not kept.
 */
export const sharedRead = <Value>(read: () => Promise<Value>, now: () => number = () => performance.now()): (() => Promise<Value>) => {
  let last: Readonly<{ value: Promise<Value>; until: () => number }> | null = null
  return () => {
    if (last !== null && now() < last.until()) return last.value
    let until = Number.POSITIVE_INFINITY
    const value = read().then(
      (found) => {
        until = now() + FRESH_MS
        return found
      },
      (error: unknown) => {
        until = Number.NEGATIVE_INFINITY
        throw error
      },
    )
    last = { value, until: () => until }
    return value
  }
}
