/** Where something is in a timeline. Messages are in it by the moment of their acceptance, with revision 0. */
export type PlaceInTimeline = Readonly<{ at: string; thingId: string; revision: number }>

/** The last moment of year 9999: what Postgres and ISO 8601 write without a sign. */
const LAST_MOMENT = 253_402_300_799_999

/** As a text that sorts as the places do; no two things of a person have the same. What happened before 1970 stands at its beginning, what is said to happen after 9999 at its end. */
export function timelinePlace({ at, thingId, revision }: PlaceInTimeline): string {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')
  return `${hex(Math.min(LAST_MOMENT, Math.max(0, Date.parse(at))), 12)}${thingId.replaceAll('-', '')}${hex(revision, 8)}`
}

const PLACE = /^([0-9a-f]{12})([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})([0-9a-f]{8})$/

/** Null for what is no place. */
export function parseTimelinePlace(text: string): PlaceInTimeline | null {
  const [, at, a, b, c, d, e, revision] = PLACE.exec(text) ?? []
  if (at === undefined || revision === undefined) return null
  const moment = Number.parseInt(at, 16)
  if (moment > LAST_MOMENT) return null
  return { at: new Date(moment).toISOString(), thingId: `${a}-${b}-${c}-${d}-${e}`, revision: Number.parseInt(revision, 16) }
}
