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
  /** Replaces the value of the key. A value that takes more than half of the limit is not kept. */
  set: (key: string, value: Value) => void
  /** Gives the value, and keeps it no longer. */
  take: (key: string) => Value | undefined
  clear: () => void
}>

type Generation<Value> = Readonly<{ since: number; values: Map<string, Value> }> & { bytes: number }

const emptyGeneration = <Value>(): Generation<Value> => ({ since: performance.now(), values: new Map(), bytes: 0 })

/**
 * Two generations of values: the older one is dropped when the younger one reaches half of the limits or its age, in an idle process too, so
 * that personal data leaves it; reading a value does not extend its life. The timers of a process that was stopped come late: so an age is
 * looked at where a value is read, too. Two maps cost a tenth of an LRU cache.
 */
export function createGenerations<Value>({ maxBytes, maxEntries = Infinity, ageMs, sizeOf }: GenerationLimits<Value>): Generations<Value> {
  let young = emptyGeneration<Value>()
  let old = young
  let rotation: NodeJS.Timeout | undefined

  const isOlder = ({ since }: Generation<Value>, ms: number): boolean => performance.now() - since >= ms
  const unlessOver = (generation: Generation<Value>, value: Value | undefined): Value | undefined =>
    value === undefined || isOlder(generation, 2 * ageMs) ? undefined : value

  const rotate = (): void => {
    old = isOlder(young, 2 * ageMs) ? emptyGeneration() : young
    young = emptyGeneration()
    clearTimeout(rotation)
    rotation = old.values.size > 0 ? setTimeout(rotate, ageMs).unref() : undefined
  }

  const generationOf = (key: string): Generation<Value> => (young.values.has(key) ? young : old)

  const take = (key: string): Value | undefined => {
    const generation = generationOf(key)
    const value = generation.values.get(key)
    if (value === undefined) return undefined
    generation.values.delete(key)
    generation.bytes -= sizeOf(value)
    return unlessOver(generation, value)
  }

  return {
    get: (key) => {
      const generation = generationOf(key)
      return unlessOver(generation, generation.values.get(key))
    },
    set: (key, value) => {
      const bytes = sizeOf(value)
      take(key)
      // This also covers a size that is no number.
      if (!(bytes <= maxBytes / 2)) return
      if (young.bytes + bytes > maxBytes / 2 || young.values.size >= maxEntries / 2 || isOlder(young, ageMs)) rotate()
      young.values.set(key, value)
      young.bytes += bytes
      rotation ??= setTimeout(rotate, ageMs).unref()
    },
    take,
    clear: () => {
      young = emptyGeneration()
      old = young
    },
  }
}
