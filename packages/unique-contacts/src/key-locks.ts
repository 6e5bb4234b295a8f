import { Busy, isOutage } from '@tidings/commands'

type KeyLocks = <T>(keys: readonly string[], work: () => Promise<T>) => Promise<T>

/**
 * Runs `work` while no other work of this process runs with one of its keys, so that commands of one process do not fence each other.
 * Keys are locked in sorted order, which excludes deadlocks. Throws `Busy` beyond `maxWaiting` a key. An outage that ends the work also
 * rejects all that wait for its keys: one after the other, each would wait for its own timeout.
 */
export function createKeyLocks(maxWaiting: number): KeyLocks {
  const queues = new Map<string, PromiseWithResolvers<void>[]>()

  const lock = async (key: string): Promise<void> => {
    const queue = queues.get(key)
    if (queue === undefined) {
      queues.set(key, [])
      return
    }
    if (queue.length >= maxWaiting) throw new Busy(`${queue.length} commands wait for one address`)
    const waiter = Promise.withResolvers<void>()
    queue.push(waiter)
    await waiter.promise
  }

  const unlock = (key: string): void => {
    const next = queues.get(key)?.shift()
    if (next) next.resolve()
    else queues.delete(key)
  }

  const rejectWaiting = (keys: readonly string[], error: unknown): void => {
    for (const waiter of keys.flatMap((key) => queues.get(key)?.splice(0) ?? [])) waiter.reject(error)
  }

  return async (keys, work) => {
    const locked: string[] = []
    try {
      for (const key of [...keys].sort()) {
        await lock(key)
        locked.push(key)
      }
      return await work()
    } catch (error) {
      if (isOutage(error)) rejectWaiting(locked, error)
      throw error
    } finally {
      for (const key of locked) unlock(key)
    }
  }
}
