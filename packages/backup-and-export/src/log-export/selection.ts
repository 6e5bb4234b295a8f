import { metaStart } from '@tidings/codec'
import type { WorkspaceId } from '@tidings/domain'
import { type EventMatch, type Position, positionText, type RecordedEvent } from '@tidings/event-store'

export type Format = 'ndjson' | 'parquet'

/** The events that an export contains; null leaves nothing out. */
export type Selection = Readonly<{
  format: Format
  /** Events as they are stored: personal data stays closed. */
  sealed: boolean
  types: readonly string[] | null
  workspaceId: WorkspaceId | null
  /** Exclusive. */
  from: Position | null
  /** The first time, by the store's clock, inclusive. */
  since: string | null
  /** Exclusive. */
  until: string | null
}>

/** The same text for the same selection, in whatever order it was given. */
export function selectionText({ from, types, ...rest }: Selection): string {
  const { format, sealed, workspaceId, since, until } = rest
  return JSON.stringify({ format, sealed, types: types?.toSorted() ?? null, workspaceId, from: from && positionText(from), since, until })
}

/** Everything that there is, opened, a line each. */
export function isWholeLog({ format, sealed, types, workspaceId, since }: Selection): boolean {
  return format === 'ndjson' && !sealed && types === null && workspaceId === null && since === null
}

/** The filter that the store gets, where it can choose. */
export function matchOf({ types, workspaceId, since }: Selection): EventMatch {
  return { ...(types && { types }), ...(workspaceId && { metaStart: metaStart(workspaceId) }), ...(since && { since }) }
}

/** The same of an event that was read. */
export function isMatch({ type, meta, created }: RecordedEvent, match: EventMatch): boolean {
  if (match.types !== undefined && !match.types.includes(type)) return false
  if (match.metaStart !== undefined && !meta.startsWith(match.metaStart)) return false
  return match.since === undefined || created >= match.since
}
