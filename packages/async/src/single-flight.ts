/** Runs `work` under its key; calls with the same key while it runs share its promise. */
export type SingleFlight<T> = (key: string, work: () => Promise<T>) => Promise<T>

/** One call at a time for each key. Nothing is remembered once a call has ended, whether it succeeded or failed. */
export function createSingleFlight<T>(): SingleFlight<T> {
  const running = new Map<string, Promise<T>>()
  return (key, work) => {
    const known = running.get(key)
    if (known !== undefined) return known
    const own = work().finally(() => running.delete(key))
    running.set(key, own)
    return own
  }
}
