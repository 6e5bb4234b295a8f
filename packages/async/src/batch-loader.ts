import { setImmediate } from 'node:timers'

/** Resolves with what `load` found for the key; keys of one turn of the event loop are loaded together. */
export type BatchLoader<K, R> = (key: K) => Promise<R>

export type BatchLoaderOptions<K, A, R> = Readonly<{
  load: (keys: readonly K[]) => Promise<A>
  /** Each key's part of an answer; what it throws rejects that key alone. */
  pick: (answer: A, key: K) => R
  maxKeys: number
  /** How many loads run at a time; keys that are asked for meanwhile gather. Without it each turn has its own. */
  atOnce?: number
}>

type Waiting<K, R> = Map<K, PromiseWithResolvers<R>>

/**
 * One `load` a turn of the event loop, at most `maxKeys` keys each; a key that is asked for twice in a turn is loaded once. A key is never
 * answered by a load that had started before the call: its rows may be older than the call.
 */
export function createBatchLoader<K, A, R>({
  load,
  pick,
  maxKeys,
  atOnce = Number.POSITIVE_INFINITY,
}: BatchLoaderOptions<K, A, R>): BatchLoader<K, R> {
  let waiting: Waiting<K, R> = new Map()
  let running = 0
  let isScheduled = false

  const schedule = () => {
    if (isScheduled || waiting.size === 0 || running >= atOnce) return
    isScheduled = true
    setImmediate(flush)
  }

  const flush = () => {
    isScheduled = false
    const batch = waiting
    const keys = [...batch.keys()]
    let from = 0
    for (; from < keys.length && running < atOnce; from += maxKeys) answer(batch, keys.slice(from, from + maxKeys))
    waiting = from < keys.length ? new Map(keys.slice(from).map((key) => [key, batch.get(key)!])) : new Map()
  }

  const ended = () => {
    running -= 1
    schedule()
  }

  const answer = (batch: Waiting<K, R>, keys: readonly K[]) => {
    running += 1
    const found = load(keys)
    for (const key of keys) found.then((answered) => pick(answered, key)).then(batch.get(key)?.resolve, batch.get(key)?.reject)
    found.then(ended, ended)
  }

  return (key) => {
    const same = waiting.get(key)
    if (same) return same.promise
    const asked = Promise.withResolvers<R>()
    waiting.set(key, asked)
    schedule()
    return asked.promise
  }
}
