import { isRetryable } from '@tidings/postgres'

/** The command did not run; the same command may succeed later. Answered as 503 with `Retry-After`. */
export class Busy extends Error {
  override readonly name = 'Busy'
  readonly retryable = true
  readonly retryAfterSeconds = 1
}

/** True for an error of the log or the database, which all that wait for the same stream would meet too. */
export function isOutage(error: unknown): boolean {
  return isRetryable(error) && !(error instanceof Busy)
}
