import { Busy } from '../errors.ts'

export type KeyLocks = <T>(keys: readonly string[], work: () => Promise<T>) => Promise<T>

/**
 * Runs `work` while no other work of this process runs with one of its keys: politeness, so that neighbours do not fence each other.
 * Keys are taken in sorted order, so nobody waits in a circle. Throws `Busy` beyond `maxWaiting` a key.
 */
export const keyLocks = (maxWaiting: number): KeyLocks => {
  const lines = new Map<string, (() => void)[]>()

  const enter = async (key: string): Promise<void> => {
    const line = lines.get(key)
    if (line === undefined) {
      lines.set(key, [])
      return
    }
    if (line.length >= maxWaiting) throw new Busy(`${line.length} commands wait for one address`)
    await new Promise<void>((proceed) => line.push(proceed))
  }

  const leave = (key: string): void => {
    const next = lines.get(key)?.shift()
    if (next) next()
    else lines.delete(key)
  }

  return async (keys, work) => {
    const held: string[] = []
    try {
      for (const key of [...keys].sort()) {
        await enter(key)
        held.push(key)
      }
      return await work()
    } finally {
      for (const key of held) leave(key)
    }
  }
}
