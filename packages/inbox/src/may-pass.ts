import { isTransient } from '@tidings/postgres'

/** Something we stand on is away (the database, the log): no fault of the job. */
export const mayPass = (error: unknown): boolean =>
  isTransient(error) || (error instanceof Error && 'retryable' in error && error.retryable === true)
