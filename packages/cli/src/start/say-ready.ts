import { pause } from '@tidings/async'
import type { Log } from '@tidings/observability/log'
import type { Service } from '@tidings/service'

const LOOK_MS = 250
/** A start that comes so far is ready a moment after it listens. */
const LOOKS_OF_START = 8
const LATER_MS = 5_000
/** A stop ends the process. */
const NEVER = new AbortController().signal

type Saying = Readonly<{ service: Pick<Service, 'url' | 'missing'>; log: Log; facts: object; isStopping: () => boolean }>

/**
 * Writes that Tidings is ready when `/health/ready` says so. Until then it is up, and one line says what it waits for: in a process of some
 * roles that can be another process. Resolves with the first line that is written, or with a stop.
 */
export async function sayReady(saying: Saying): Promise<void> {
  const reasons = await waitReady(saying, { looks: LOOKS_OF_START, everyMs: LOOK_MS })
  if (saying.isStopping()) return
  const { service, log, facts } = saying
  const line = { url: service.url, ...facts }
  if (reasons.length === 0) return log.info(line, 'Tidings is ready')
  log.warn(line, `Tidings listens, and is not ready yet: ${reasons.join('; ')}. It says so when it is.`)
  void waitReady(saying, { looks: Number.POSITIVE_INFINITY, everyMs: LATER_MS }).then(() => {
    if (!saying.isStopping()) log.info(line, 'Tidings is ready')
  })
}

/** What the last look missed; empty when it is ready. */
async function waitReady(
  { service, isStopping }: Saying,
  { looks, everyMs }: Readonly<{ looks: number; everyMs: number }>,
): Promise<readonly string[]> {
  for (let look = 1; ; look++) {
    const reasons = await service.missing()
    if (reasons.length === 0 || look >= looks || isStopping()) return reasons
    await pause(everyMs, NEVER, { ref: false })
  }
}
