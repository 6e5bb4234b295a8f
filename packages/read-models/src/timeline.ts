import type { WorkspaceId } from '@tidings/domain'
import { type RawBuilder, sql } from 'kysely'

export type Direction = 'asc' | 'desc'
/** A row's place in a timeline. `at`: what it is ordered by, as Postgres writes it, to the microsecond; in an order of names only whether it has one. */
export type TimelinePosition = Readonly<{ at: string | null; id: string }>

/**
 * How a timeline stands. `removed` counts the rows that went, and names the table too, because one that was built anew or swapped back may have as
 * many of other rows. What comes later is found by `mark`, and so are `recent` rows that were there already.
 */
export type Extent = Readonly<{ total: bigint; removed: string; mark: string | null; recent: bigint }>

export type TimelineRow = TimelinePosition & Extent
export type TimelinePage = Readonly<{ after: TimelinePosition | null; skip: number; limit: number; direction: Direction }>

/** The number of rows up to this place, itself included. */
export type Anchor = Readonly<{ rows: number; position: TimelinePosition }>
/** Places of pages that were seen, all of one extent. */
export type KnownTimeline = Readonly<{ extent: Extent; anchors: readonly Anchor[] }>

/** Rows of a workspace in an order in which places can be followed. Each answer is of one moment. */
export type Timeline = Readonly<{
  workspaceId: WorkspaceId
  /** No other timeline of the workspace has it. */
  name: string
  /**
   * The rows that follow a place, each with how the timeline stood. From a place in an order of names they may end early: those without a name
   * are in another range of the index.
   */
  page: (page: TimelinePage) => Promise<readonly TimelineRow[]>
  /** Whether a place of the one has as many rows before it in the other. */
  isSame: (one: Extent, other: Extent) => boolean
  /** What is known, as it is now; undefined where nothing shows that. */
  now: (known: KnownTimeline, direction: Direction) => Promise<KnownTimeline | undefined>
}>

/** What is known of a timeline that grew by more since, or was counted, is forgotten. */
export const MOST_NEW = 2_000

/** The row that has the total: its table, and a condition. `removed` counts whatever is no row that came. */
export type Counter = Readonly<{ counter: Readonly<{ table: string; where: RawBuilder<boolean> }>; removed: RawBuilder<bigint> }>

export function totalOf({ counter }: Counter): RawBuilder<bigint> {
  return sql`coalesce(${ofCounter(counter, 'total')}, 0)`
}

/** A select of its own, so that it is made once and not for every row that is skipped. */
export function removedOf({ counter, removed }: Counter): RawBuilder<string> {
  return sql`(select concat_ws(' ', coalesce(${removed}, 0), ${ofCounter(counter, 'tableoid')}))`
}

const ofCounter = ({ table, where }: Counter['counter'], column: string) =>
  sql`(select ${sql.ref(column)} from ${sql.raw(table)} where ${where})`

/** The counters of all profiles of a workspace. */
export function profilesCounter(workspaceId: WorkspaceId): Counter {
  const of = (bucket: string) => sql<boolean>`workspace_id = ${workspaceId} and bucket = ${sql.lit(bucket)}`
  return {
    counter: { table: 'read.profile_totals', where: of('all') },
    removed: sql<bigint>`(select total from read.profile_totals where ${of('erased')})`,
  }
}
