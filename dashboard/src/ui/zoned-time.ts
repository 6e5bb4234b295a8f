/** The moment of a local time; `gap`: the clocks of the zone leave it out; `invalid`: it is no time, or there is no such zone. */
export type ZonedTime = Readonly<{ at: string }> | 'gap' | 'invalid'

const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/

/** No zone is further from UTC than 14 hours; two of these reach over every change of clocks. */
const DAY = 86_400_000

/** The moment at which a clock on the wall of the zone shows this time (`2026-11-21T09:00`); of two, where clocks go back, the first. */
export function zonedTime(local: string, zone: string): ZonedTime {
  const wanted = LOCAL.test(local) ? Date.parse(`${local}:00Z`) : Number.NaN
  if (Number.isNaN(wanted)) return 'invalid'
  try {
    const offsets = [wanted - DAY, wanted + DAY].map((near) => shownAt(near, zone) - near)
    const moments = offsets.map((offset) => wanted - offset).filter((moment) => shownAt(moment, zone) === wanted)
    return moments.length === 0 ? 'gap' : { at: new Date(Math.min(...moments)).toISOString() }
  } catch {
    return 'invalid'
  }
}

/** What a clock of the zone shows at a moment, as if it were UTC. */
function shownAt(moment: number, zone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
  })
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
}

/** What a clock of the zone shows at a moment, as a field for a time takes it. */
export function localTime(at: Date, zone: string): string {
  return new Date(shownAt(at.getTime(), zone)).toISOString().slice(0, 16)
}

/** The zones that the browser knows, with its own and UTC first. */
export function zonesFrom(own: string, known: readonly string[]): readonly string[] {
  return [...new Set([own, 'UTC', ...known])]
}

/** The zone that the browser is in. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The named zone, if it is one; else another. */
export function zoneNamed(text: string | null, other: string): string {
  if (text === null) return other
  try {
    // Throws for what is none; an old name of a zone stays as it is written.
    new Intl.DateTimeFormat('en', { timeZone: text }).format()
    return text
  } catch {
    return other
  }
}
