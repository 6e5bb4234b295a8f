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
