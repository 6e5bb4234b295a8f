import { setImmediate } from 'node:timers'

/** Resolves with what `load` found for the key; keys that are asked for in the same turn travel together. */
export type BatchedLoad<R> = (key: string) => Promise<R>

type Waiting<R> = Map<string, { promise: Promise<R>; resolve: (result: R) => void; reject: (error: unknown) => void }>

/**
 * One `load` a turn of the event loop, at most `maxKeys` keys each. A key is never answered by a load that was on its way already:
 * its rows may be older than the question.
 */
export const batchedLoad = <A, R>(options: {
  load: (keys: readonly string[]) => Promise<A>
  pick: (answer: A, key: string) => R
  maxKeys: number
}): BatchedLoad<R> => {
  let waiting: Waiting<R> = new Map()

  const flush = () => {
    const batch = waiting
    waiting = new Map()
    const keys = [...batch.keys()]
    for (let from = 0; from < keys.length; from += options.maxKeys) void answer(batch, keys.slice(from, from + options.maxKeys))
  }

  const answer = async (batch: Waiting<R>, keys: readonly string[]) => {
    try {
      const found = await options.load(keys)
      for (const key of keys) batch.get(key)?.resolve(options.pick(found, key))
    } catch (error) {
      for (const key of keys) batch.get(key)?.reject(error)
    }
  }

  return (key) => {
    const same = waiting.get(key)
    if (same) return same.promise
    if (waiting.size === 0) setImmediate(flush)
    const { promise, resolve, reject } = Promise.withResolvers<R>()
    waiting.set(key, { promise, resolve, reject })
    return promise
  }
}
