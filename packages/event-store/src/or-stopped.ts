/**
 * Who is told when a signal comes. One listener a signal, however many wait: to take one off an `EventTarget` costs more the more there are
 * (0.9 µs of CPU a wait, and 0.3 so).
 */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

const waitersOf = (signal: AbortSignal): Set<() => void> => {
  const known = waiting.get(signal)
  if (known !== undefined) return known
  const waiters = new Set<() => void>()
  waiting.set(signal, waiters)
  const tellAll = () => {
    for (const tell of waiters) tell()
  }
  signal.addEventListener('abort', tellAll, { once: true })
  return waiters
}

/**
 * The work's result, or null when the signal comes first: then nobody waits for it any more. A log that is away is asked with more
 * patience than a stop has.
 */
export function orStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      work.catch(() => undefined)
      resolve(null)
      return
    }
    const waiters = waitersOf(signal)
    const stop = () => resolve(null)
    waiters.add(stop)
    work.then(
      (result) => {
        waiters.delete(stop)
        resolve(result)
      },
      (error: unknown) => {
        waiters.delete(stop)
        reject(error)
      },
    )
  })
}
