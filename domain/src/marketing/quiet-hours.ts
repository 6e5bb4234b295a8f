import type { QuietHours } from '../workspace/workspace.events.ts'
import { localMinutesOf, minutesOf } from './time-zone.ts'

const MINUTE = 60_000
const DAY_MINUTES = 24 * 60

export function isTimezone(timezone: string): boolean {
  return localMinutesOf(timezone) !== null
}

/** The minutes of a day from `from` up to `to`, never negative. */
const between = (from: number, to: number): number => (to - from + DAY_MINUTES) % DAY_MINUTES

const utcMinutes = (at: number): number => Math.floor(at / MINUTE) % DAY_MINUTES

/** The first of these that is a time zone. */
const firstOf = (timezones: readonly (string | null)[]): ((at: number) => number) => {
  for (const zone of timezones) {
    const local = zone === null ? null : localMinutesOf(zone)
    if (local !== null) return local
  }
  return utcMinutes
}

/**
 * The end of the quiet hours in which a moment falls, both in ms since 1970; null where it falls into none. The first of the time zones
 * that is one is used. Where the clocks change that night, the end may be quiet again: ask again then.
 */
export function quietUntil(at: number, { from, to }: QuietHours, timezones: readonly (string | null)[]): number | null {
  const localMinutes = firstOf(timezones)
  const now = localMinutes(at)
  const [begin, end] = [minutesOf(from), minutesOf(to)]
  if (between(begin, now) >= between(begin, end)) return null
  const naive = at - (at % MINUTE) + between(now, end) * MINUTE
  // Clocks that change in between are an hour ahead of the end, or behind it.
  const off = between(end, localMinutes(naive))
  const corrected = naive - (off > DAY_MINUTES / 2 ? off - DAY_MINUTES : off) * MINUTE
  return corrected > at ? corrected : naive
}
