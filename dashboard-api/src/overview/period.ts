import { invalidRequest } from '@tidings/http'
import { quarterStart, quartersOf } from '@tidings/read-models'

/** The days of a period in a time zone: `from` and `to` are local dates, both inclusive. */
type Days = Readonly<{ from: string; to: string; zone: string; step: 'day' | 'hour' }>

/** Where each step begins, and where the last one ends, in quarter hours since 1970: one more than there are steps. */
export type Boundaries = readonly number[]

const MOST_DAYS = { day: 400, hour: 31 } as const

const DAY_MS = 86_400_000
const DAY_QUARTERS = 96

type DateAt = (quarter: number) => string

/** The local date of a moment, which never goes back as time goes on; null for what is no time zone. */
function dateIn(zone: string): DateAt | null {
  try {
    const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
    return (quarter) => format.format(quarterStart(quarter))
  } catch {
    return null
  }
}

const dayOf = (date: string): number | null => {
  const at = Date.parse(`${date}T00:00:00Z`)
  // A month has fewer days than a pattern can say.
  return Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== date ? null : at / DAY_MS
}

const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)

/**
 * The first moment of a local day. A day may have 23 hours, 25 or another number, may begin at one o'clock, and may be missing: then it begins, and
 * ends, where the next one begins.
 */
const beginOf = (day: number, dateAt: DateAt, guess: number | null): number => {
  const date = dateOf(day)
  if (guess !== null && dateAt(guess) === date && dateAt(guess - 1) < date) return guess
  // An offset is less than a day.
  const utc = quartersOf(day * DAY_MS)
  let [before, at] = [utc - DAY_QUARTERS, utc + DAY_QUARTERS]
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2)
    if (dateAt(middle) < date) before = middle
    else at = middle
  }
  return at
}

/** Null for what is no period: no time zone, no such day, an end before its beginning, or more days than one answer has. */
export function boundariesOf({ from, to, zone, step }: Days): Boundaries | null {
  const [first, last, dateAt] = [dayOf(from), dayOf(to), dateIn(zone)]
  if (first === null || last === null || dateAt === null || last < first || last - first >= MOST_DAYS[step]) return null
  const begins: number[] = []
  for (let day = first; day <= last + 1; day++) {
    const known = begins.at(-1)
    begins.push(beginOf(day, dateAt, known === undefined ? null : known + DAY_QUARTERS))
  }
  return step === 'day' ? begins : hoursOf(begins)
}

/** As `boundariesOf`, for a request: a refusal for what is no period. */
export function askedBoundaries(asked: Days): Boundaries {
  const boundaries = boundariesOf(asked)
  if (boundaries !== null) return boundaries
  const { step } = asked
  throw invalidRequest(
    `from and to must be days of the time zone, the first not behind the last, at most ${MOST_DAYS[step]} where a step is ${step === 'day' ? 'a day' : 'an hour'}`,
  )
}

/** Each day's hours from its own beginning. */
const hoursOf = (begins: readonly number[]): Boundaries => {
  const [first = 0, end = 0] = [begins[0], begins.at(-1)]
  const hours: number[] = []
  for (let quarter = first; quarter < end; quarter += 4) hours.push(quarter)
  return [...hours, end]
}
