const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/

const DAY_MS = 86_400_000

/** Milliseconds of an ISO 8601 date (midnight UTC) or time with its offset; null for any other text, and for a day that its month does not have. */
export function parseTime(text: string): number | null {
  if (!ISO.test(text) || !isDay(text.slice(0, 10))) return null
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? null : ms
}

/** Date.parse takes 30 February for 2 March. */
function isDay(date: string): boolean {
  const ms = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date)
}

const BEGINS_AS_DATE = /^\d{4}-\d\d-\d\d(?:T|$)/

/** A date as ISO 8601 writes it, on a day that its month does not have. */
export function isImpossibleDate(value: unknown): boolean {
  return typeof value === 'string' && BEGINS_AS_DATE.test(value) && !isDay(value.slice(0, 10))
}

/** The time from which a moment does not lie within so many days any more. It lies within them from the moment itself on. */
export function endOfDays(moment: number, days: number): number {
  return moment + Math.max(1, Math.round(days * DAY_MS))
}
