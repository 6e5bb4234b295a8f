const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Where a time is read: the language, and the time zone. */
type Reader = Readonly<{ locale: string; zone: string }>

/** Relative up to a day, else the day and the minute in the reader's zone. A clock that is ahead makes nothing future. */
export function shortTime(at: Date, { now, locale, zone }: Reader & Readonly<{ now: Date }>): string {
  const age = Math.max(0, now.getTime() - at.getTime())
  if (at.getTime() - now.getTime() > DAY || age >= DAY)
    return at.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: zone })
  const ago = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
  if (age < MINUTE) return ago.format(-Math.floor(age / 1_000), 'second')
  return age < HOUR ? ago.format(-Math.floor(age / MINUTE), 'minute') : ago.format(-Math.floor(age / HOUR), 'hour')
}

/** To the second, with the zone, and the same in UTC. */
export function exactTime(at: Date, { locale, zone }: Reader): string {
  const here = at.toLocaleString(locale, { dateStyle: 'long', timeStyle: 'long', timeZone: zone })
  return `${here} (${at.toISOString()})`
}
