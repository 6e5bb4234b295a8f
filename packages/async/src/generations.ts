/** `ageMs`: of a generation; a value lives as long, and at most twice as long. `sizeOf`: what it counts of `maxBytes`. */
type GenerationLimits<Value> = Readonly<{
  maxBytes: number
  maxEntries?: number
  ageMs: number
  sizeOf: (value: Value) => number
}>

/** Values that are wanted for a short time. */
type Generations<Value> = Readonly<{
  get: (key: string) => Value | undefined
  /** In place of one that is there. One that takes more than half of the limit is not kept. */
  set: (key: string, value: Value) => void
  /** Gives the value, and keeps it no longer. */
  take: (key: string) => Value | undefined
  clear: () => void
}>

/**
 * Two generations of values: the older one is dropped when the younger one reaches half of the limits or its age, in an idle process too, so
 * that personal data leaves it; reading a value does not extend its life. Two maps cost a tenth of an LRU cache.
 */
export function createGenerations<Value>({ maxBytes, maxEntries = Infinity, ageMs, sizeOf }: GenerationLimits<Value>): Generations<Value> {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  let youngBytes = 0
  let rotation: NodeJS.Timeout | undefined

  const rotate = (): void => {
    old = young
    young = new Map()
    youngBytes = 0
    clearTimeout(rotation)
    rotation = old.size > 0 ? setTimeout(rotate, ageMs).unref() : undefined
  }

  const take = (key: string): Value | undefined => {
    const value = young.get(key)
    if (value === undefined) {
      const older = old.get(key)
      old.delete(key)
      return older
    }
    young.delete(key)
    youngBytes -= sizeOf(value)
    return value
  }

  return {
    get: (key) => young.get(key) ?? old.get(key),
    set: (key, value) => {
      const bytes = sizeOf(value)
      take(key)
      if (bytes > maxBytes / 2) return
      if (youngBytes + bytes > maxBytes / 2 || young.size >= maxEntries / 2) rotate()
      young.set(key, value)
      youngBytes += bytes
      rotation ??= setTimeout(rotate, ageMs).unref()
    },
    take,
    clear: () => {
      young.clear()
      old.clear()
      youngBytes = 0
    },
  }
}
