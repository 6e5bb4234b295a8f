import { setImmediate } from 'node:timers'

/** Resolves with what `load` found for the key; keys of one turn of the event loop are loaded together. */
export type BatchLoader<K, R> = (key: K) => Promise<R>

export type BatchLoaderOptions<K, A, R> = Readonly<{
  load: (keys: readonly K[]) => Promise<A>
  /** Each key's part of an answer; what it throws rejects that key alone. */
  pick: (answer: A, key: K) => R
  maxKeys: number
}>

type Waiting<K, R> = Map<K, PromiseWithResolvers<R>>

/**
 * One `load` a turn of the event loop, at most `maxKeys` keys each; a key that is asked for twice in a turn is loaded once. A key is never
 * answered by a load that had started before the call: its rows may be older than the call.
 */
export function createBatchLoader<K, A, R>({ load, pick, maxKeys }: BatchLoaderOptions<K, A, R>): BatchLoader<K, R> {
  let waiting: Waiting<K, R> = new Map()

  const flush = () => {
    const batch = waiting
    waiting = new Map()
    const keys = [...batch.keys()]
    for (let from = 0; from < keys.length; from += maxKeys) answer(batch, keys.slice(from, from + maxKeys))
  }

  const answer = (batch: Waiting<K, R>, keys: readonly K[]) => {
    const found = load(keys)
    for (const key of keys) found.then((answered) => pick(answered, key)).then(batch.get(key)?.resolve, batch.get(key)?.reject)
  }

  return (key) => {
    const same = waiting.get(key)
    if (same) return same.promise
    if (waiting.size === 0) setImmediate(flush)
    const asked = Promise.withResolvers<R>()
    waiting.set(key, asked)
    return asked.promise
  }
}
