import { parseTime } from '@tidings/domain'
import { invalidRequest } from '@tidings/http'

/** The clock of a store may be this far ahead. */
const AHEAD_MS = 5 * 60_000

/** The time of an event in UTC, as the store gives it, never after `now`; `moment` if the store gives none. Throws 400. */
export function occurredAt(said: string | undefined, { now, moment }: Readonly<{ now: string; moment: string }>): string {
  if (said === undefined) return moment
  const at = parseTime(said)
  if (at === null || at < 0) throw invalidRequest('occurredAt must be a valid ISO 8601 date string')
  if (at > Date.parse(now) + AHEAD_MS) throw invalidRequest('occurredAt must not be in the future')
  return at > Date.parse(now) ? now : new Date(at).toISOString()
}
