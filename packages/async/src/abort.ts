type Listeners = Readonly<{ callbacks: Set<() => void>; notify: () => void }>

/**
 * One event listener a signal, however many callbacks: removing one of many from an `EventTarget` costs more the more there are (0.9 µs of
 * CPU a callback, against 0.3). The listener goes with the last callback: Node keeps a signal of `AbortSignal.any` for as long as it has a
 * listener, and one is made for every read.
 */
const listenersOf = new WeakMap<AbortSignal, Listeners>()

function listenTo(signal: AbortSignal): Listeners {
  const known = listenersOf.get(signal)
  if (known !== undefined) return known
  const callbacks = new Set<() => void>()
  const notify = () => {
    for (const callback of callbacks) callback()
  }
  const listeners = { callbacks, notify }
  listenersOf.set(signal, listeners)
  signal.addEventListener('abort', notify, { once: true })
  return listeners
}

/** Calls `callback` when the signal aborts, at once if it has; the result removes the callback. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback()
    return () => undefined
  }
  const { callbacks, notify } = listenTo(signal)
  callbacks.add(callback)
  return () => {
    if (!callbacks.delete(callback) || callbacks.size > 0 || signal.aborted) return
    signal.removeEventListener('abort', notify)
    listenersOf.delete(signal)
  }
}

/** `ref: false`: the timer does not keep the process alive. */
export type PauseOptions = Readonly<{ ref?: boolean }>

/** Resolves after `ms`, or as soon as the signal aborts. */
export function pause(ms: number, signal: AbortSignal, { ref = true }: PauseOptions = {}): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      remove()
      resolve()
    }, ms)
    if (!ref) timer.unref()
    const remove = onAbort(signal, () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** The result of the work, or null as soon as the signal aborts; the work itself goes on, and what it throws then is dropped. */
export function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
  return new Promise((resolve, reject) => {
    const remove = onAbort(signal, () => resolve(null))
    const settle =
      <Value>(how: (value: Value) => void) =>
      (value: Value): void => {
        remove()
        how(value)
      }
    work.then(settle(resolve), settle(reject))
  })
}
