/** Delays grow from `minMs` to `maxMs` by doubling; each is spread over its upper half so that many clients do not return at once. */
export type Backoff = Readonly<{ minMs: number; maxMs: number }>

const DEFAULT_BACKOFF: Backoff = { minMs: 50, maxMs: 2_000 }

/** Milliseconds to wait before attempt `attempt + 1`; `attempt` counts from 1. */
export const backoffDelay = (attempt: number, { minMs, maxMs }: Backoff = DEFAULT_BACKOFF): number => {
  const ceiling = Math.min(maxMs, minMs * 2 ** Math.min(attempt, 16))
  return ceiling / 2 + Math.random() * (ceiling / 2)
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })

/** Runs `then` when the signal aborts (now, if it has); the result takes that back. */
export const aborted = (signal: AbortSignal, then: () => void): (() => void) => {
  if (signal.aborted) {
    then()
    return () => undefined
  }
  signal.addEventListener('abort', then, { once: true })
  return () => signal.removeEventListener('abort', then)
}
