/**
 * The work's result, or null when the signal comes first: then nobody waits for it any more. A log that is away is asked with more
 * patience than a stop has.
 */
export async function orStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
  work.catch(() => undefined)
  const stopped = Promise.withResolvers<null>()
  const stop = () => stopped.resolve(null)
  if (signal.aborted) return null
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, stopped.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
