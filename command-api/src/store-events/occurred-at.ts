import { invalidRequest } from '@tidings/http'

/** A date, or a date and a time with `Z` or an offset (RFC 3339). */
const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/
/** How far the clock of a store may be ahead. */
const AHEAD_MS = 5 * 60_000

/** When a store says that something occurred, in UTC; never after `now`. Throws 400. */
export function occurredAt(said: string | undefined, now: string): string {
  if (said === undefined) return now
  const at = ISO.test(said) ? Date.parse(said) : Number.NaN
  if (Number.isNaN(at) || at < 0) throw invalidRequest('occurredAt must be a valid ISO 8601 date string')
  if (at > Date.parse(now) + AHEAD_MS) throw invalidRequest('occurredAt must not be in the future')
  return at > Date.parse(now) ? now : new Date(at).toISOString()
}
