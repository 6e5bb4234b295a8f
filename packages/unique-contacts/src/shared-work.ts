import { isRetryable } from '@tidings/postgres'

/** Runs `work` once for all calls under one key while it runs. */
type SharedWork<T> = (key: string, work: () => Promise<T>) => Promise<T>

/**
 * A call that arrives while the work runs gets its result, which is newer than the call. A failure is that of the call that ran it: the
 * others run it themselves. A retryable error rejects all of them: one after the other, each would wait for its own timeout.
 */
export function createSharedWork<T>(): SharedWork<T> {
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
