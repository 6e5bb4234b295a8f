import { WrongMasterKey } from '@tidings/codec'

/** The log, or the database under it, is away. Waiting helps then; where this process lacks a master key, only another process does. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof Error && 'retryable' in error && error.retryable === true && !(error instanceof WrongMasterKey)
