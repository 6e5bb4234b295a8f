const KEPT_MS = 5_000

/** `now`: by the clock of the process, in ms. */
type Sharing = Readonly<{ keptMs?: number; now?: () => number }>

/**
 * Shares one read between callers: calls during it wait for it, calls within `keptMs` after it (default 5 s) get its result. So the number of
 * scrapes does not matter to what is read. A failure is not kept.
 */
export function sharedRead<Value>(
  read: () => Promise<Value>,
  { keptMs = KEPT_MS, now = () => performance.now() }: Sharing = {},
): () => Promise<Value> {
  let last: Promise<Value> | null = null
  let until = 0
  const begin = async (): Promise<Value> => {
    until = Number.POSITIVE_INFINITY
    try {
      const value = await read()
      until = now() + keptMs
      return value
    } catch (error) {
      last = null
      throw error
    }
  }
  return () => {
    if (last === null || now() >= until) last = begin()
    return last
  }
}
