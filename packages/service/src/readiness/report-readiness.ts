import { startTicker } from '@tidings/async'
import { notReady } from '@tidings/http'
import type { Log } from '@tidings/observability/log'
import { databaseFault } from '@tidings/postgres'
import type { Checks } from './checks.ts'

/** A look costs some thirty short statements. */
const LOOK_MS = 10_000
/** A process that starts is not ready yet, for a minute on a slow machine: only after so many looks is that worth a line. */
const LOOKS_OF_START = 6

/** Each check with the sentence of what Postgres lacks in place of its own words, where it lacks something. */
export function explainChecks(checks: Checks): Checks {
  const explained = Object.entries(checks).map(([name, check]) => {
    const explain = (error: unknown): never => {
      const fault = databaseFault(error)
      throw fault === null ? error : new Error(`${fault.said}. ${fault.mend}`, { cause: error })
    }
    return [name, () => check().catch(explain)] as const
  })
  return Object.fromEntries(explained)
}

type Reporting = Readonly<{ checks: Checks; log: Log; everyMs?: number }>

/** What changes from look to look: how far something is behind. */
const withoutFigures = (text: string): string => text.replaceAll(/\d+/g, '')

/**
 * Writes what `/health/ready` says into the log: one line when this process is no longer ready, one when the reason is another, one when it is
 * ready again. A start has a minute. An outage that many parts meet is reported here, and not by each of them.
 */
export function reportReadiness({ checks, log, everyMs = LOOK_MS }: Reporting): Readonly<{ stop: () => Promise<void> }> {
  let written = ''
  let looksLeft = LOOKS_OF_START
  let isStopping = false
  const look = async (): Promise<void> => {
    const missing = await notReady(checks)
    if (isStopping) return
    const reasons = missing.map(({ name, reason }) => `${name}: ${reason}`).join('; ')
    const state = withoutFigures(reasons)
    looksLeft = state === '' ? 0 : looksLeft - 1
    if (state === written || looksLeft > 0) return
    if (state === '') log.info('ready again: everything that /health/ready asks for answers')
    else log.error({ notReady: missing }, `not ready: ${reasons}`)
    written = state
  }
  const ticker = startTicker(everyMs, look)
  return {
    stop: async () => {
      isStopping = true
      ticker.stop()
      await ticker.ended()
    },
  }
}
