import type { Log } from '@tidings/log'
import type { Service } from '@tidings/service'

/** A stop takes at most 10 s. */
const STOP_TIMEOUT_MS = 10_000

/**
 * Stops the service at the first signal; a second one, or 10 s, end the process at once. Accepted work is not lost either way. A signal during
 * the start takes effect when the start has ended: otherwise the embedded Postgres would run on. Returns whether a stop has begun.
 */
export function stopOnSignal(starting: Promise<Service>, log: Log): () => boolean {
  let stopping = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1)
    stopping = true
    log.info({ signal }, 'stopping: finishing what is under way')
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref()
    const stop = async (service: Service): Promise<void> => {
      await service.stop().catch((error: unknown) => {
        log.error({ err: error }, 'stopping failed')
        process.exit(1)
      })
      process.exit(0)
    }
    starting.then(stop, () => undefined) // A start that fails says why itself, and ends the process.
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return () => stopping
}
