import type { WorkspaceId } from '../ids.ts'
import type { Command, Decider, DetailKind, Event, EventDeclarations } from '../kernel.ts'

// Stored for ever: change only together with an upcast.
/** Details of this kind in the workspace's events have ended, in all weeks before `until`, the date of a Monday. */
export type DetailsEnded = Event<'DetailsEnded', { kind: DetailKind; until: string }>
export type RetentionEvent = DetailsEnded

export const retentionDeclarations = {
  DetailsEnded: { version: 1 },
} as const satisfies EventDeclarations & Record<RetentionEvent['type'], unknown>

/** An end is never taken back: one that is earlier than the last changes nothing. */
type EndDetails = Command<'EndDetails', DetailsEnded['data']>

export type RetentionState = Readonly<Record<DetailKind, string | null>>

/** The details that retention has ended in a workspace: `retention-<workspaceId>`. */
export function retentionStream(workspaceId: WorkspaceId): string {
  return `retention-${workspaceId}`
}

const decide = ({ data }: EndDetails, state: RetentionState): readonly RetentionEvent[] => {
  const last = state[data.kind]
  return last !== null && last >= data.until ? [] : [{ type: 'DetailsEnded', data }]
}

const evolve = (state: RetentionState, { data }: RetentionEvent): RetentionState => ({ ...state, [data.kind]: data.until })

export const retention: Decider<EndDetails, RetentionEvent, RetentionState> = {
  decide,
  evolve,
  initialState: { client: null, content: null },
}

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
/** Monday, 1969-12-29: the epoch was a Thursday. */
const FIRST_MONDAY = -3 * DAY_MS

let lastDay = ''
let lastWeek = ''

/**
 * The week that a moment is in, in UTC, as the date of its Monday: such names sort as the weeks do. `at` is ISO 8601, as metadata has it.
 * Remembers one day: the events of a batch are mostly of one. Throws `RangeError` where `at` is no time.
 */
export function weekOf(at: string): string {
  const day = at.slice(0, 10)
  if (day === lastDay) return lastWeek
  const week = Math.floor((Date.parse(day) - FIRST_MONDAY) / WEEK_MS)
  lastWeek = new Date(FIRST_MONDAY + week * WEEK_MS).toISOString().slice(0, 10)
  lastDay = day
  return lastWeek
}

/** The weeks of `count` weeks before the week of `at`, the newest first. */
export function weeksBefore(at: string, count: number): readonly string[] {
  const start = Date.parse(weekOf(at))
  return Array.from({ length: count }, (_, n) => new Date(start - (n + 1) * WEEK_MS).toISOString().slice(0, 10))
}
