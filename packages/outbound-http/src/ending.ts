type End = () => void

const running = new WeakMap<AbortSignal, Set<End>>()

/**
 * Calls `end` when the signal is aborted, until what is answered is called. However many calls share a signal, it gets one listener: adding
 * and removing one for each costs more than sending the call.
 */
export const onAbort = (signal: AbortSignal, end: End): (() => void) => {
  const ends = running.get(signal) ?? listenTo(signal)
  ends.add(end)
  return () => void ends.delete(end)
}

const listenTo = (signal: AbortSignal): Set<End> => {
  const ends = new Set<End>()
  running.set(signal, ends)
  signal.addEventListener(
    'abort',
    () => {
      for (const end of ends) end()
    },
    { once: true },
  )
  return ends
}
