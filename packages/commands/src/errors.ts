import { isRetryable } from '@tidings/postgres'

/** The command was not carried out; the same command may succeed later. Answered as 503 with `Retry-After`. */
export class Busy extends Error {
  override readonly name = 'Busy'
  readonly retryable = true
  readonly retryAfterSeconds = 1
}

/** A stream holds an event of another workspace: a defect, never a caller's mistake. Nothing of it is shown or used. */
export class ForeignEvent extends Error {
  override readonly name = 'ForeignEvent'
  readonly retryable = false
  constructor(stream: string) {
    super(`stream ${stream} holds an event of another workspace`)
  }
}

/** Whether an error tells of the log or the database, so that it is also the answer to all who wait for the same thing. */
export const isOutage = (error: unknown): boolean => isRetryable(error) && !(error instanceof Busy)
