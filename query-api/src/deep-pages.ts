import type { Anchor, Direction, KnownTimeline, Timeline, TimelineRow } from '@tidings/read-models'
import { type Remembered, remembered } from './remembered.ts'

type Window = Readonly<{ limit: number; offset: number }>

/** The ids of a page of a timeline: those that `offset` and `limit` alone would give at the same moment, but found from a page seen before. */
export type DeepPages = (timeline: Timeline, direction: Direction, window: Window) => Promise<readonly string[]>

/** From this offset on, a page is looked for from one that was seen before. */
export const FAR = 1_000

/** Some 8 KB each. */
const TIMELINES = { workspaces: 250, each: 10 }
const ANCHORS = 40

/**
 * Remembers where pages ended, and starts the next one there. New rows move the known positions, where nothing else happened. After anything else,
 * as an erasure, what is remembered is forgotten and the page is found by its offset.
 */
export function deepPages(): DeepPages {
  const memory = remembered<KnownTimeline>(TIMELINES)
  return async (timeline, direction, { limit, offset }) => {
    const before = memory.get(keyOf(timeline, direction))
    const known = before === undefined ? undefined : await timeline.now(before, direction)
    const anchor = known && nearest(known.anchors, offset)
    if (known !== undefined && anchor !== undefined) {
      const rows = await timeline.page({ after: anchor.position, skip: offset - anchor.rows, limit, direction })
      const whole = Math.min(limit, Number(known.extent.total) - offset)
      if (isOf(timeline, known, rows[0]) && rows.length === whole) return remember(memory, { timeline, direction, rows, offset, known })
    }
    const rows = await timeline.page({ after: null, skip: offset, limit, direction })
    return remember(memory, { timeline, direction, rows, offset, known })
  }
}

const keyOf = ({ workspaceId, name }: Timeline, direction: Direction) => ({ workspaceId, name: `${direction} ${name}` })

const nearest = (anchors: readonly Anchor[], offset: number): Anchor | undefined => {
  const before = anchors.filter(({ rows }) => rows <= offset)
  return before.sort((a, b) => a.rows - b.rows).at(-1)
}

const isOf = (timeline: Timeline, { extent }: KnownTimeline, row: TimelineRow | undefined): boolean =>
  row !== undefined && timeline.isSame(extent, row)

type ShownPage = Readonly<{
  timeline: Timeline
  direction: Direction
  rows: readonly TimelineRow[]
  offset: number
  known: KnownTimeline | undefined
}>

/** The places that were seen last stay, wherever they are. */
const remember = (memory: Remembered<KnownTimeline>, { timeline, direction, rows, offset, known }: ShownPage): readonly string[] => {
  const [first, last] = [rows[0], rows.at(-1)]
  if (first !== undefined && last !== undefined) {
    const { total, removed, mark, recent } = first
    const before = known !== undefined && isOf(timeline, known, first) ? known.anchors : []
    const seen = [anchorAt(first, offset + 1), anchorAt(last, offset + rows.length)]
    const others = before.filter((anchor) => seen.every(({ rows: count }) => count !== anchor.rows)).slice(-(ANCHORS - seen.length))
    const value = { extent: { total, removed, mark, recent }, anchors: [...others, ...seen] }
    memory.set(keyOf(timeline, direction), value, { isCarriedOn: others.length > 0 })
  }
  return rows.map(({ id }) => id)
}

const anchorAt = ({ at, id }: TimelineRow, rows: number): Anchor => ({ rows, position: { at, id } })
