import type { WorkspaceId } from '@tidings/domain'
import { type RawBuilder, sql } from 'kysely'
import { profilesCounter, removedOf, totalOf } from './timeline.ts'

/**
 * How the profiles of a workspace stand, for what is remembered of what `profile_search` holds: how many they are; how many were erased, in which tables;
 * and where the log stands, by the last event that may have changed any. Null where none came yet.
 */
export type ProfilesStand = Readonly<{ total: bigint; removed: string; mark: string | null }>

/** The columns of a `ProfilesStand`. */
export function standColumns(workspaceId: WorkspaceId) {
  const counter = profilesCounter(workspaceId)
  return [totalOf(counter).as('total'), removedOf(counter).as('removed'), markOf(workspaceId).as('mark')] as const
}

export type WrittenRow = Readonly<{ id: string; text: string }>

/**
 * A position in the log: that of a row which is written later is greater. None while a stream is parked: what a re-drive writes has its old positions. One
 * that is parked later has greater ones.
 */
const markOf = (workspaceId: WorkspaceId): RawBuilder<string | null> =>
  sql`(select array[last_commit, last_prepare]::text from read.profile_totals where workspace_id = ${workspaceId} and bucket = 'searched'
    and not exists (select from ops.parked_stream where projection = 'profiles' and workspace_id = ${workspaceId}))`

/** Rows of `profile_search` that were written after a mark, and one more than are of use, to show that there are more. */
export function writtenSince(workspaceId: WorkspaceId, mark: string | null, atMost: number): RawBuilder<WrittenRow> {
  const [commit, prepare] = [1, 2].map((n) => sql`(${mark}::bigint[])[${sql.lit(n)}]`)
  return sql`select id, text from read.profile_search where workspace_id = ${workspaceId}
    and (last_commit, last_prepare) > (${commit}, ${prepare}) order by last_commit limit ${atMost + 1}`
}

type ChangedSince = Readonly<{ written: bigint; atMost: number }>

/**
 * Whether nothing else happened to what a search looks through than that profiles were created: as many rows were written as there are more profiles, and
 * none was erased. A change of a property writes no such row.
 */
export function onlyCame(then: ProfilesStand, now: ProfilesStand, { written, atMost }: ChangedSince): boolean {
  return fellBack(then, now) ? false : then.removed === now.removed && now.total - then.total === written && written <= atMost
}

/** Whether the profiles fell back, or whether that is unknown. Postgres may have lost its last commits, or be of an older copy. */
const fellBack = (then: ProfilesStand, now: ProfilesStand): boolean => {
  const [before, after] = [then, now].map(({ mark }) => mark?.slice(1, -1).split(',').map(BigInt))
  if (before === undefined || after === undefined) return true
  const [commit = 0n, prepare = 0n] = before
  const [nowCommit = 0n, nowPrepare = 0n] = after
  return nowCommit < commit || (nowCommit === commit && nowPrepare < prepare)
}
