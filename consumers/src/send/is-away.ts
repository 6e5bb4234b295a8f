import { UnknownEventType } from '@tidings/codec'
import { isRetryableHere } from './is-retryable-here.ts'

/** Whether the log or the database is away: the next stream would meet it too. What cannot be read of one says nothing about the others. */
export function isAway(error: unknown): boolean {
  return !(error instanceof UnknownEventType) && isRetryableHere(error)
}
