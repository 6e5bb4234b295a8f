const DATE = /^\d{4}-\d\d-\d\d$/
const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/

/** A moment as people write it (D2), in UTC with milliseconds: ISO 8601 with `Z` or an offset, or a date, which is its midnight in UTC. Null for any other text. */
export function parseMoment(text: string): string | null {
  const date = DATE.test(text) ? text : TIME.exec(text)?.[1]
  // A day that its month does not have would count as one of the next month.
  if (date === undefined || isoOf(date)?.slice(0, 10) !== date) return null
  return isoOf(text)
}

const isoOf = (text: string): string | null => {
  const time = Date.parse(text)
  const iso = Number.isNaN(time) ? '' : new Date(time).toISOString()
  // Its offset may put a moment out of the years that have four digits: such a text sorts before all others.
  return DATE.test(iso.slice(0, 10)) ? iso : null
}
