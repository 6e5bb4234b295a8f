import type { Direction, Extent, Place, Timeline, TimelineRow } from '@tidings/read-models'
import { LRUCache } from 'lru-cache'

type Window = Readonly<{ limit: number; offset: number }>

/** The ids of a page of a timeline: those that `offset` and `limit` alone would give at the same moment, but found from a page seen before. */
export type DeepPages = (timeline: Timeline, direction: Direction, window: Window) => Promise<readonly string[]>

/** From here on a page is looked for from one that was seen before. */
export const FAR = 1_000

/** So many rows come up to this place and with it. */
type Anchor = Readonly<{ rows: number; place: Place }>
/** Places of pages that were seen, all of one extent. */
type Known = Readonly<{ extent: Extent; anchors: readonly Anchor[] }>

const TIMELINES = 500
const ANCHORS = 40
const LIFETIME_MS = 10 * 60_000
/** A timeline that grew by more since is read anew. */
const MOST_NEW = 2_000

/**
 * Remembers where pages ended, and starts the next one there. What came meanwhile moves the places by its number, where all of it is newer than
 * what was there: it is counted. After anything else, as an erasure, what is remembered is forgotten and the page is found by its offset.
 */
export function deepPages(): DeepPages {
  const memory = new LRUCache<string, Known>({ max: TIMELINES, ttl: LIFETIME_MS })
  return async (timeline, direction, { limit, offset }) => {
    const name = `${direction} ${timeline.name}`
    const known = await extentNow(timeline, direction, memory.get(name))
    const anchor = known?.anchors.findLast(({ rows }) => rows <= offset)
    if (known !== undefined && anchor !== undefined) {
      const rows = await timeline.page({ after: anchor.place, skip: offset - anchor.rows, limit, direction })
      if (isOf(known.extent, rows[0])) return remember(memory, name, { rows, offset, known })
    }
    const rows = await timeline.page({ after: null, skip: offset, limit, direction })
    return remember(memory, name, { rows, offset, known })
  }
}

/** What is known, as it is now; undefined where nothing shows that. */
const extentNow = async (timeline: Timeline, direction: Direction, known: Known | undefined): Promise<Known | undefined> => {
  if (known === undefined) return undefined
  const { extent, anchors } = known
  const now = await timeline.extentSince(extent.newest, Number(extent.recent) + MOST_NEW)
  const came = now.total - extent.total
  if (now.removed !== extent.removed || came < 0n || now.recent - extent.recent !== came) return undefined
  return { extent: { ...extent, ...now }, anchors: came === 0n ? anchors : moved(known, direction, Number(came)) }
}

/** What came is among the recent ones, in whatever order: of the places only those that are older have moved by all of it. */
const moved = ({ extent: { total, recent }, anchors }: Known, direction: Direction, by: number): readonly Anchor[] => {
  if (direction === 'asc') return anchors.filter(({ rows }) => rows <= Number(total - recent))
  return anchors.filter(({ rows }) => rows > Number(recent)).map(({ rows, place }) => ({ rows: rows + by, place }))
}

const isOf = (extent: Extent, row: TimelineRow | undefined): row is TimelineRow =>
  row !== undefined && row.total === extent.total && row.removed === extent.removed

type Seen = Readonly<{ rows: readonly TimelineRow[]; offset: number; known: Known | undefined }>

const remember = (memory: LRUCache<string, Known>, name: string, { rows, offset, known }: Seen): readonly string[] => {
  const [first, last] = [rows[0], rows.at(-1)]
  if (first !== undefined && last !== undefined) {
    const { total, removed, newest, recent } = first
    const before = known !== undefined && isOf(known.extent, first) ? known.anchors : []
    const seen = [anchorAt(first, offset + 1), anchorAt(last, offset + rows.length)]
    const others = before.filter((anchor) => seen.every(({ rows: count }) => count !== anchor.rows)).slice(-(ANCHORS - seen.length))
    const anchors = [...others, ...seen].sort((a, b) => a.rows - b.rows)
    memory.set(name, { extent: { total, removed, newest, recent }, anchors })
  }
  return rows.map(({ id }) => id)
}

const anchorAt = ({ at, id }: TimelineRow, rows: number): Anchor => ({ rows, place: { at, id } })
