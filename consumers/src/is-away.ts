import { UnknownEventType } from '@tidings/codec'
import { isRetryable } from '@tidings/postgres'

/** Whether the log, the database or this process' master key is away: the next stream would meet it too. What cannot be read of one says nothing about the others. */
export function isAway(error: unknown): boolean {
  return !(error instanceof UnknownEventType) && isRetryable(error)
}
