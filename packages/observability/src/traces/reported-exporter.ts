import type { SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from '../log.ts'
import { errorType } from './attributes.ts'

/** At most one line so often about an exporter that fails, however many batches it refuses. */
const QUIET_MS = 600_000

/**
 * An exporter whose failures cost a line when they begin, one when they are over, and no more than a pair in ten minutes (M69). Its words stay out of the
 * log: an answer of a collector may quote headers. `now`: milliseconds of a clock that only goes on.
 */
export function reportedExporter(
  exporter: SpanExporter,
  log: Pick<Logger, 'warn' | 'info'>,
  now: () => number = () => performance.now(),
): SpanExporter {
  let failedAt: number | null = null
  let lost = 0
  let isReported = false
  const failed = (error: Error | undefined, spans: number): void => {
    lost += spans
    if (failedAt !== null && now() - failedAt < QUIET_MS) return
    failedAt = now()
    isReported = true
    log.warn({ ...kindOf(error), spans: lost }, 'spans could not be sent to the collector and are lost; nothing else waits for it')
  }
  const succeeded = (): void => {
    if (!isReported) return
    isReported = false
    log.info({ spans: lost }, 'spans are sent to the collector again')
    lost = 0
  }
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        // The code of a success, by the API of the library.
        if (result.code === 0) succeeded()
        else failed(result.error, spans.length)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => await exporter.forceFlush?.(),
  }
}

/** The kind of a failure and its code, without its words. */
const kindOf = (error: Error | undefined): Readonly<{ failure: string; code?: string }> => {
  const code = error !== undefined && 'code' in error && /^\w{1,40}$/.test(String(error.code)) ? String(error.code) : undefined
  return { failure: errorType(error ?? new Error()), ...(code !== undefined && { code }) }
}
