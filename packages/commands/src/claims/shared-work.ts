import { isRetryable } from '@tidings/postgres'

/** Runs `work` once for all who ask under one key while it runs. */
export type SharedWork<T> = (key: string, work: () => Promise<T>) => Promise<T>

/**
 * Whoever comes while the work runs gets its result, which is newer than their question. A failure is the failure of whoever ran it:
 * the others run it themselves. What may pass is the answer to all of them: one after the other, they would each wait out the same outage.
 */
export const sharedWork = <T>(): SharedWork<T> => {
  const running = new Map<string, Promise<T>>()
  const share: SharedWork<T> = async (key, work) => {
    const other = running.get(key)
    if (other === undefined) {
      const own = work().finally(() => running.delete(key))
      running.set(key, own)
      return own
    }
    try {
      return await other
    } catch (error) {
      if (isRetryable(error)) throw error
      return share(key, work)
    }
  }
  return share
}
