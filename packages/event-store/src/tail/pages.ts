import { type Batch, comparePositions, type Position, START } from '../port.ts'
import { type Slice, weight } from './window.ts'

/** A page over `maxBytes` is not kept; a kept page that is not requested for `keepMs` is dropped. */
export type PageLimits = Readonly<{ maxBytes: number; keepMs: number }>

export type PagesOptions = Readonly<{
  readAll: (after: Position | 'start', limit: number) => Promise<Batch>
  limits?: Partial<PageLimits>
  /** Monotonic milliseconds. */
  now?: () => number
}>

/**
 * The log before the window, read once for all subscribers at about the same position. After an outage, and at a start, these are all the
 * subscribers of a process; without sharing, 16 pages were read for one, and the first came no sooner than the last.
 */
export type Pages = Readonly<{
  /** Reads up to `limit` events after `after`; fewer where a shared page ends. Rejects as `readAll` does. */
  read: (after: Position, limit: number) => Promise<Slice>
  /** Drops expired pages; call it regularly. */
  forget: () => void
}>

type Page = Slice & Readonly<{ after: Position; bytes: number }> & { askedAt: number }
type Reading = Readonly<{ after: Position; page: Promise<Page> }>

/** A full page of events of 4 KB. Subscribers that failed together return within a lease and the longest backoff. */
const LIMITS: PageLimits = { maxBytes: 8 * 1024 * 1024, keepMs: 10_000 }

export function sharedPages({ readAll, now = () => performance.now(), ...options }: PagesOptions): Pages {
  const limits = { ...LIMITS, ...options.limits }
  const underWay = new Set<Reading>()
  let kept: readonly Page[] = []

  const keep = (page: Page): void => {
    kept = [...kept, page].sort((a, b) => a.askedAt - b.askedAt)
    while (weightOf(kept) > limits.maxBytes) kept = kept.slice(1)
  }
  const load = async (after: Position, limit: number): Promise<Page> => {
    const { events, to } = await readAll(comparePositions(after, START) === 0 ? 'start' : after, limit)
    const page = { after, events, to, bytes: events.reduce((bytes, event) => bytes + weight(event), 0), askedAt: now() }
    keep(page)
    return page
  }
  const begin = (after: Position, limit: number): Promise<Page> => {
    const reading: Reading = { after, page: load(after, limit).finally(() => underWay.delete(reading)) }
    underWay.add(reading)
    return reading.page
  }
  const keptFor = (position: Position): Page | undefined => {
    const page = kept.find((each) => covers(each, position))
    if (page !== undefined) page.askedAt = now()
    return page
  }
  /** Waits for one read of others at most: it may begin far behind, and end before the position. */
  const pageFor = async (position: Position, limit: number): Promise<Page> => {
    const known = keptFor(position)
    if (known !== undefined) return known
    const neighbour = nearest(underWay, position)
    if (neighbour === undefined) return begin(position, limit)
    const page = await neighbour.page
    if (covers(page, position)) return page
    // A read that begins here was begun while this one waited: what it does not find was not there when this one was asked for.
    return keptFor(position) ?? startingAt(underWay, position)?.page ?? begin(position, limit)
  }
  return {
    read: async (after, limit) => sliced(await pageFor(after, limit), after, limit),
    forget: () => {
      if (kept.length > 0) kept = kept.filter(({ askedAt }) => now() - askedAt < limits.keepMs)
    },
  }
}

const weightOf = (pages: readonly Page[]): number => pages.reduce((sum, { bytes }) => sum + bytes, 0)

const covers = ({ after, to }: Page, position: Position): boolean =>
  comparePositions(after, position) <= 0 && comparePositions(position, to) < 0

const startingAt = (readings: Iterable<Reading>, position: Position): Reading | undefined =>
  [...readings].find(({ after }) => comparePositions(after, position) === 0)

/** The read that begins closest before a position, or there. */
const nearest = (readings: Iterable<Reading>, position: Position): Reading | undefined => {
  const before = [...readings].filter(({ after }) => comparePositions(after, position) <= 0)
  return before.sort((a, b) => comparePositions(b.after, a.after))[0]
}

const sliced = ({ events, to }: Page, after: Position, limit: number): Slice => {
  const first = events.findIndex(({ position }) => comparePositions(position, after) > 0)
  if (first === -1) return { events: [], to }
  const part = events.slice(first, first + limit)
  const last = part.at(-1)
  return { events: part, to: last !== undefined && first + limit < events.length ? last.position : to }
}
