import { isTransient } from './transient.ts'

/** Whether the same call may succeed later: the error says so itself (`retryable: true`), or Postgres was away. */
export const isRetryable = (error: unknown): boolean =>
  isTransient(error) || (error instanceof Error && 'retryable' in error && error.retryable === true)
