/** The work's result, or null when the signal comes first: then nobody waits for it any more. */
export async function orStopped<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
  work.catch(() => undefined)
  let stopped: (() => void) | undefined
  const stop = new Promise<null>((resolve) => {
    stopped = () => resolve(null)
    if (signal.aborted) resolve(null)
    else signal.addEventListener('abort', stopped, { once: true })
  })
  try {
    return await Promise.race([work, stop])
  } finally {
    if (stopped !== undefined) signal.removeEventListener('abort', stopped)
  }
}
