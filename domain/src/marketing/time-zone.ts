const MINUTE = 60_000
const DAY_MINUTES = 24 * 60

/** The minutes since local midnight at a moment, in ms since 1970. */
type LocalMinutes = (at: number) => number

/** Some 40 KB each. As many as there are zones at most, by their canonical names; those not used lately are made again, in 0.1 ms. */
const MAX_FORMATS = 100
const formats = new Map<string, LocalMinutes>()

/** The canonical names of zones, by what a caller wrote in lower case; null for what is no zone, so that it is asked of ICU once. */
const MAX_NAMES = 2_000
const canonical = new Map<string, string | null>()

/** The form of IANA's names; the longest has 32 characters. Anything else costs nothing. */
const NAME = /^[a-z][a-z0-9_+/-]{0,63}$/i
const OFFSET = /^([+-])([01]\d|2[0-3])(?::?([0-5]\d))?$/

/**
 * The local time of a zone; null for what is none. A contact's is whatever the caller sent: its spelling keeps no memory of its own, an offset
 * such as `+05:30` none at all.
 */
export function localMinutesOf(timezone: string): LocalMinutes | null {
  const offset = OFFSET.exec(timezone)
  if (offset !== null) return atOffset(offset)
  return NAME.test(timezone) ? ofNamed(timezone.toLowerCase()) : null
}

const ofNamed = (name: string): LocalMinutes | null => {
  let zone = canonical.get(name)
  if (zone === undefined) {
    zone = canonicalOf(name)
    keep(canonical, name, zone, MAX_NAMES)
  }
  return zone === null ? null : formatOf(zone)
}

const canonicalOf = (name: string): string | null => {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

const formatOf = (zone: string): LocalMinutes => {
  const known = formats.get(zone)
  if (known !== undefined) {
    // It moves behind all others, so that the first is the one that was unused for longest.
    formats.delete(zone)
    formats.set(zone, known)
    return known
  }
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const local: LocalMinutes = (at) => minutesOf(format.format(at))
  keep(formats, zone, local, MAX_FORMATS)
  return local
}

const keep = <Value>(of: Map<string, Value>, key: string, value: Value, max: number): void => {
  const oldest = of.size >= max ? of.keys().next().value : undefined
  if (oldest !== undefined) of.delete(oldest)
  of.set(key, value)
}

const atOffset = ([, sign, hours = '0', minutes = '0']: RegExpExecArray): LocalMinutes => {
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  return (at) => (((Math.floor(at / MINUTE) + offset) % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES
}

/** Minutes since midnight of a time such as `21:00`. */
export function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
}
