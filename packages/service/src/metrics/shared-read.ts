const FRESH_MS = 5_000

/**
 * Shares one read between callers: calls during it wait for it, calls within 5 s after it get its result. So the number of scrapes does not
 * matter to the database. A failure is not kept.
 */
export function sharedRead<Value>(read: () => Promise<Value>, now: () => number = () => performance.now()): () => Promise<Value> {
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
