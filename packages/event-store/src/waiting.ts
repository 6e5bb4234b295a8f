/** Delays grow from `minMs` to `maxMs` by doubling; each is spread over its upper half so that many clients do not return at once. */
export type Backoff = Readonly<{ minMs: number; maxMs: number }>

const DEFAULT_BACKOFF: Backoff = { minMs: 50, maxMs: 2_000 }

/** Milliseconds to wait before attempt `attempt + 1`; `attempt` counts from 1. */
export const backoffDelay = (attempt: number, { minMs, maxMs }: Backoff = DEFAULT_BACKOFF): number => {
  const ceiling = Math.min(maxMs, minMs * 2 ** Math.min(attempt, 16))
  return ceiling / 2 + Math.random() * (ceiling / 2)
}

type Waiters = Readonly<{ waiting: Set<() => void>; tellAll: () => void }>

/**
 * Who is told when a signal comes. One listener a signal, however many wait: to take one off an `EventTarget` costs more the more there are
 * (0.9 µs of CPU a wait, and 0.3 so). It goes with the last of them: Node keeps a signal of `AbortSignal.any` for as long as it has a
 * listener, and one is made for every read.
 */
const waitersOf = new WeakMap<AbortSignal, Waiters>()

const listeningTo = (signal: AbortSignal): Waiters => {
  const known = waitersOf.get(signal)
  if (known !== undefined) return known
  const waiting = new Set<() => void>()
  const tellAll = () => {
    for (const tell of waiting) tell()
  }
  const waiters = { waiting, tellAll }
  waitersOf.set(signal, waiters)
  signal.addEventListener('abort', tellAll, { once: true })
  return waiters
}

/** Runs `then` when the signal aborts (now, if it has); the result takes that back. */
export const aborted = (signal: AbortSignal, then: () => void): (() => void) => {
  if (signal.aborted) {
    then()
    return () => undefined
  }
  const { waiting, tellAll } = listeningTo(signal)
  waiting.add(then)
  return () => {
    if (!waiting.delete(then) || waiting.size > 0 || signal.aborted) return
    signal.removeEventListener('abort', tellAll)
    waitersOf.delete(signal)
  }
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => {
      unlink()
      resolve()
    }, ms)
    const unlink = aborted(signal, () => {
      clearTimeout(timer)
      resolve()
    })
  })
