import type { EventLog } from '@tidings/codec'
import type { Position } from '@tidings/event-store'

/** Where the log ends; null as soon as the signal says stop: a log that is away is asked with more patience than a stop has. */
export const headUnlessStopped = async (log: Pick<EventLog, 'head'>, signal: AbortSignal): Promise<Position | null> => {
  const stopped = Promise.withResolvers<null>()
  const stop = () => stopped.resolve(null)
  if (signal.aborted) return null
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([log.head(), stopped.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
