/** Aborts at the first SIGINT or SIGTERM, so that work ends where it is whole; a second one ends the process. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  return stopping.signal
}
