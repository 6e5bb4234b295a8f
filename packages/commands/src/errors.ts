import { isRetryable } from '@tidings/postgres'

/** The command was not carried out; the same command may succeed later. Answered as 503 with `Retry-After`. */
export class Busy extends Error {
  override readonly name = 'Busy'
  readonly retryable = true
  readonly retryAfterSeconds = 1
}

/** Whether an error tells of the log or the database, so that it is also the answer to all who wait for the same thing. */
export const isOutage = (error: unknown): boolean => isRetryable(error) && !(error instanceof Busy)
