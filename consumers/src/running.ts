import type { ConsumerProgress, Transport } from '@tidings/bus'
import type { OnJobFault } from '@tidings/jobs'
import type { LogView } from '@tidings/log-views'
import { createLineBudget } from '@tidings/observability/line-budget'
import type { Logger } from '@tidings/observability/log'
import { isRetryable } from '@tidings/postgres'

/** A feature whose consumers run. */
export type RunningConsumers = Readonly<{
  /** The views that a follower updates; without a follower they read the log for each question. */
  views: readonly LogView[]
  /** The progress of each consumer group. */
  progress: () => Readonly<Record<string, ConsumerProgress>>
  /** Takes nothing new, finishes what was begun (at most 6 s), gives back the rest. The provider and the log stay open. */
  stop: () => Promise<void>
}>

/** Lines of one kind in a minute. */
const LINES = { lines: 60, perMs: 60_000 }
/** An outage is said by the process (`reportReadiness`), not by each of the loops and jobs that meet it. */
const OUTAGES = { lines: 1, perMs: 60_000 }

/**
 * Writes a line for each fault, at the level of what became of it: a dead letter is an error, another try a warning, and what only waits for the
 * log or the database one warning a minute. `sentence`: what failed.
 */
export function faultLines(logger: Logger, sentence: string): OnJobFault {
  const [budget, outages] = [createLineBudget(LINES), createLineBudget(OUTAGES)]
  return (error, job, became) => {
    const of =
      job === null ? {} : { workspaceId: job.workspaceId, seq: String(job.seq), attempt: job.attempt, ...(became && { kind: became.kind }) }
    const waits = became === null ? isRetryable(error) : became.fate === 'waits'
    if (waits) return outages((unsaid) => logger.warn({ err: error, ...of, ...unsaidOf(unsaid) }, WAITS))
    budget((unsaid) => {
      const line = { err: error, ...of, ...unsaidOf(unsaid) }
      if (became === null) logger.error(line, sentence)
      else if (became.fate !== 'dead letter') logger.warn({ ...line, retryInMs: became.inMs }, `${sentence}; it is tried again`)
      else
        logger.error(
          { ...line, deadLetter: became.id },
          `${sentence} for good, and is a dead letter: see \`tidings dlq show ${became.id}\``,
        )
    })
  }
}

const WAITS = 'work waits, because the log, the database or the keys did not answer; it goes on by itself'

const unsaidOf = (unsaid: number) => (unsaid === 0 ? {} : { unsaid })

/** The transport, with a line for each event or record that becomes a dead letter. */
export function reportingLetters(transport: Transport, logger: Logger): Transport {
  const budget = createLineBudget(LINES)
  return (options) =>
    transport({
      ...options,
      onFault: (error, letter) => {
        if (letter === undefined) return options.onFault?.(error)
        budget((unsaid) =>
          logger.error(
            { err: error, ...letter, ...unsaidOf(unsaid) },
            `an event of ${letter.consumer} became a dead letter: see \`tidings dlq list\``,
          ),
        )
      },
    })
}
