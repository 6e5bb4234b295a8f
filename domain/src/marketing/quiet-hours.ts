import type { QuietHours } from '../workspace/workspace.events.ts'

const MINUTE = 60_000
const DAY_MINUTES = 24 * 60

const formats = new Map<string, Intl.DateTimeFormat>()
const MAX_FORMATS = 1_000

/** Null for what is no time zone: a contact's is whatever the caller sent. */
const formatOf = (timezone: string): Intl.DateTimeFormat | null => {
  const known = formats.get(timezone)
  if (known !== undefined) return known
  try {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    if (formats.size >= MAX_FORMATS) formats.clear()
    formats.set(timezone, format)
    return format
  } catch {
    return null
  }
}

export function isTimezone(timezone: string): boolean {
  return formatOf(timezone) !== null
}

/** Minutes since local midnight. */
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))

/** From `from` on, up to `to`: how many minutes of a day are between the two; a day has no negative ones. */
const between = (from: number, to: number): number => (to - from + DAY_MINUTES) % DAY_MINUTES

/**
 * When the quiet hours end in which a moment falls, both in ms since 1970; null where it falls into none. The first of the time zones
 * that is one is used. Where the clocks change that night, the end may be quiet again: ask again then.
 */
export function quietUntil(at: number, { from, to }: QuietHours, timezones: readonly (string | null)[]): number | null {
  const timezone = timezones.find((zone) => zone !== null && isTimezone(zone)) ?? 'UTC'
  const localMinutes = (time: number): number => minutesOf(formatOf(timezone)?.format(time) ?? '00:00')
  const now = localMinutes(at)
  const [begin, end] = [minutesOf(from), minutesOf(to)]
  if (between(begin, now) >= between(begin, end)) return null
  const naive = at - (at % MINUTE) + between(now, end) * MINUTE
  // Clocks that change in between are an hour ahead of the end, or behind it.
  const off = between(end, localMinutes(naive))
  const corrected = naive - (off > DAY_MINUTES / 2 ? off - DAY_MINUTES : off) * MINUTE
  return corrected > at ? corrected : naive
}
