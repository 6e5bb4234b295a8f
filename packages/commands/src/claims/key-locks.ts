import { Busy, isOutage } from '../errors.ts'

export type KeyLocks = <T>(keys: readonly string[], work: () => Promise<T>) => Promise<T>

/**
 * Runs `work` while no other work of this process runs with one of its keys: politeness, so that neighbours do not fence each other.
 * Keys are taken in sorted order, so nobody waits in a circle. Throws `Busy` beyond `maxWaiting` a key. An outage that ends the work is
 * the answer to all who wait for its keys: one after the other, they would each wait it out.
 */
export const keyLocks = (maxWaiting: number): KeyLocks => {
  const lines = new Map<string, PromiseWithResolvers<void>[]>()

  const enter = async (key: string): Promise<void> => {
    const line = lines.get(key)
    if (line === undefined) {
      lines.set(key, [])
      return
    }
    if (line.length >= maxWaiting) throw new Busy(`${line.length} commands wait for one address`)
    const place = Promise.withResolvers<void>()
    line.push(place)
    await place.promise
  }

  const leave = (key: string): void => {
    const next = lines.get(key)?.shift()
    if (next) next.resolve()
    else lines.delete(key)
  }

  const tellOutage = (keys: readonly string[], error: unknown): void => {
    for (const place of keys.flatMap((key) => lines.get(key)?.splice(0) ?? [])) place.reject(error)
  }

  return async (keys, work) => {
    const held: string[] = []
    try {
      for (const key of [...keys].sort()) {
        await enter(key)
        held.push(key)
      }
      return await work()
    } catch (error) {
      if (isOutage(error)) tellOutage(held, error)
      throw error
    } finally {
      for (const key of held) leave(key)
    }
  }
}
