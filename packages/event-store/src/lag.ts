import type { Batch } from './port.ts'

/** Seconds since something was stored: an ISO time, or milliseconds since 1970. Never negative, whatever the clocks of two machines say. */
export function secondsSince(storedAt: string | number): number {
  return Math.max(0, (Date.now() - (typeof storedAt === 'string' ? Date.parse(storedAt) : storedAt)) / 1_000)
}

/** How far behind the log its reader is after this batch, in seconds: the age of the last event, 0 when caught up. */
export function lagSecondsAfter({
  events,
  caughtUp,
}: Pick<Batch, 'caughtUp'> & Readonly<{ events: readonly Readonly<{ created: string }>[] }>): number {
  const last = events.at(-1)
  return caughtUp || last === undefined ? 0 : secondsSince(last.created)
}
