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

/** A load that takes longer delays no other: what it waits for may be a lock, or a connection that is dead. */
const LATE_MS = 100

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
  /** When each began. */
  const running = new Set<Readonly<{ at: number }>>()
  let isScheduled = false
  let isLooking = false

  const hasRoom = (): boolean => {
    if (running.size < atOnce) return true
    const lateFrom = performance.now() - LATE_MS
    let inTime = 0
    for (const { at } of running) if (at > lateFrom) inTime++
    return inTime < atOnce
  }

  const schedule = () => {
    if (isScheduled || waiting.size === 0) return
    if (hasRoom()) {
      isScheduled = true
      setImmediate(flush)
    } else if (!isLooking) {
      isLooking = true
      setTimeout(() => {
        isLooking = false
        schedule()
      }, LATE_MS)
    }
  }

  /** Takes what one load may have, so that what is asked for from now on waits for another. */
  const takeFirst = (): Waiting<K, R> => {
    const all = waiting
    waiting = new Map()
    if (all.size <= maxKeys) return all
    const entries = [...all]
    waiting = new Map(entries.slice(maxKeys))
    return new Map(entries.slice(0, maxKeys))
  }

  const flush = () => {
    isScheduled = false
    while (waiting.size > 0 && hasRoom()) answer(takeFirst())
    schedule()
  }

  const answer = (batch: Waiting<K, R>) => {
    const begun = { at: performance.now() }
    running.add(begun)
    const ended = () => {
      running.delete(begun)
      schedule()
    }
    const found = load([...batch.keys()])
    for (const [key, { resolve, reject }] of batch) found.then((answered) => pick(answered, key)).then(resolve, reject)
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
