import { afterRunning } from '@tidings/async'
import type { Config } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import type { Service } from '@tidings/service'
import { exitWith } from '../terminal/stop-command.ts'
import { onStopRequest } from '../terminal/stop-requests.ts'

/** A stop takes at most 10 s behind the drain, in which the process runs. */
const STOP_TIMEOUT_MS = 10_000

/**
 * Stops the service at the first request; one that comes later, or 10 s behind the drain, end the process and its embedded Postgres at once (M62). Accepted
 * work is not lost either way. A request during the start takes effect when the start has ended. Returns whether a stop has begun.
 */
export function stopServiceOnSignal(starting: Promise<Service>, { config, log }: Readonly<{ config: Config; log: Log }>): () => boolean {
  let stopping = false
  const stop = async (service: Service): Promise<void> => {
    try {
      await service.stop()
      process.exit(0)
    } catch (error) {
      log.error({ err: error }, 'stopping failed')
      exitWith(1)
    }
  }
  onStopRequest({
    stop: (signal) => {
      stopping = true
      log.info({ signal }, 'stopping: finishing what is under way')
      afterRunning(config.http.drainSeconds * 1_000 + STOP_TIMEOUT_MS, () => exitWith(1))
      starting.then(stop, () => undefined) // A start that fails says why itself, and ends the process.
    },
    force: () => {
      log.warn('stopping at once: asked again')
      exitWith(1)
    },
  })
  return () => stopping
}
