import { UnknownEventType } from '@tidings/codec'
import { isRetryableHere } from './is-retryable-here.ts'

/**
 * Whether the log or the database is away: the next stream would meet it too. What cannot be read of one says nothing about the others, a key that is
 * wrapped under another master key neither: one that came from an older backup would delay all that is behind it.
 */
export function isAway(error: unknown): boolean {
  return !(error instanceof UnknownEventType) && isRetryableHere(error)
}
