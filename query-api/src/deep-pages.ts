import type { Anchor, Direction, Known, Timeline, TimelineRow } from '@tidings/read-models'
import { LRUCache } from 'lru-cache'

type Window = Readonly<{ limit: number; offset: number }>

/** The ids of a page of a timeline: those that `offset` and `limit` alone would give at the same moment, but found from a page seen before. */
export type DeepPages = (timeline: Timeline, direction: Direction, window: Window) => Promise<readonly string[]>

/** From here on a page is looked for from one that was seen before. */
export const FAR = 1_000

const TIMELINES = 500
const ANCHORS = 40
const LIFETIME_MS = 10 * 60_000

/**
 * Remembers where pages ended, and starts the next one there. What came meanwhile moves the places, where it is all that happened. After anything else,
 * as an erasure, what is remembered is forgotten and the page is found by its offset.
 */
export function deepPages(): DeepPages {
  const memory = new LRUCache<string, Known>({ max: TIMELINES, ttl: LIFETIME_MS })
  return async (timeline, direction, { limit, offset }) => {
    const name = `${direction} ${timeline.name}`
    const remembered = memory.get(name)
    const known = remembered === undefined ? undefined : await timeline.now(remembered, direction)
    const anchor = known?.anchors.findLast(({ rows }) => rows <= offset)
    if (known !== undefined && anchor !== undefined) {
      const rows = await timeline.page({ after: anchor.place, skip: offset - anchor.rows, limit, direction })
      const whole = Math.min(limit, Number(known.extent.total) - offset)
      if (isOf(timeline, known, rows[0]) && rows.length === whole) return remember(memory, name, { timeline, rows, offset, known })
    }
    const rows = await timeline.page({ after: null, skip: offset, limit, direction })
    return remember(memory, name, { timeline, rows, offset, known })
  }
}

const isOf = (timeline: Timeline, { extent }: Known, row: TimelineRow | undefined): boolean =>
  row !== undefined && timeline.isSame(extent, row)

type Seen = Readonly<{ timeline: Timeline; rows: readonly TimelineRow[]; offset: number; known: Known | undefined }>

const remember = (memory: LRUCache<string, Known>, name: string, { timeline, rows, offset, known }: Seen): readonly string[] => {
  const [first, last] = [rows[0], rows.at(-1)]
  if (first !== undefined && last !== undefined) {
    const { total, removed, mark, recent } = first
    const before = known !== undefined && isOf(timeline, known, first) ? known.anchors : []
    const seen = [anchorAt(first, offset + 1), anchorAt(last, offset + rows.length)]
    const others = before.filter((anchor) => seen.every(({ rows: count }) => count !== anchor.rows)).slice(-(ANCHORS - seen.length))
    const anchors = [...others, ...seen].sort((a, b) => a.rows - b.rows)
    memory.set(name, { extent: { total, removed, mark, recent }, anchors })
  }
  return rows.map(({ id }) => id)
}

const anchorAt = ({ at, id }: TimelineRow, rows: number): Anchor => ({ rows, place: { at, id } })
