import type { ConsumerProgress } from '@tidings/bus'
import type { Job } from '@tidings/jobs'
import type { LogView } from '@tidings/log-views'
import type { Logger } from '@tidings/observability/log'

/** A feature whose consumers run. */
export type RunningConsumers = Readonly<{
  /** The views that a follower updates; without a follower they read the log for each question. */
  views: readonly LogView[]
  /** The progress of each consumer group. */
  progress: () => Readonly<Record<string, ConsumerProgress>>
  /** Takes nothing new, finishes what was begun (at most 6 s), gives back the rest. The provider and the log stay open. */
  stop: () => Promise<void>
}>

/** Writes a line for each fault; `job`: where it is of one job. */
export function faultLines(logger: Logger, sentence: string): (error: unknown, job: Job | null) => void {
  return (error, job) => logger.error({ err: error, ...(job && { seq: String(job.seq), attempt: job.attempt }) }, sentence)
}
