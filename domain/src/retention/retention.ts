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

/** What retention has ended in a workspace: `retention-<workspaceId>`. */
export function retentionStream(workspaceId: string): string {
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
