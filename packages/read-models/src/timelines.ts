import type { ListId, WorkspaceId } from '@tidings/domain'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ReadModels } from './tables.ts'
import {
  type Anchor,
  type Counter,
  type Direction,
  type Extent,
  type KnownTimeline,
  MOST_NEW,
  profilesCounter,
  removedOf,
  type Timeline,
  type TimelinePage,
  type TimelineRow,
  totalOf,
} from './timeline.ts'

/**
 * Timelines in the order of a time that never changes. New rows come at their end, or near it: processes have clocks of their own. `mark` is the newest
 * time, and `recent` rows are from the last two seconds before it.
 */
type TimelineSource = Readonly<{
  workspaceId: WorkspaceId
  name: string
  table: string
  at: string
  id: string
  where: RawBuilder<boolean>
}> &
  Counter

/** All profiles, as they were created. */
export function profilesTimeline(db: Kysely<ReadModels>, workspaceId: WorkspaceId): Timeline {
  const where = sql<boolean>`workspace_id = ${workspaceId}`
  const parts = { workspaceId, name: 'profiles', table: 'read.profiles', at: 'created_at', id: 'id', where }
  return timeline(db, { ...parts, ...profilesCounter(workspaceId) })
}

/** The members of a list, as their profiles were created: a new member is seldom a new profile, so any change is one that removes. */
export function membersTimeline(db: Kysely<ReadModels>, workspaceId: WorkspaceId, listId: ListId): Timeline {
  const of = sql<boolean>`workspace_id = ${workspaceId} and list_id = ${listId}`
  const counter = { table: 'read.list_totals', where: of }
  const removed = sql<bigint>`(select last_commit from read.list_totals where ${of})`
  const table = { table: 'read.list_members', at: 'contact_created_at', id: 'contact_id', where: of }
  return timeline(db, { workspaceId, name: `members ${listId}`, ...table, counter, removed })
}

/** All messages, as they were queued. None is ever removed but with the table. */
export function messagesTimeline(db: Kysely<ReadModels>, workspaceId: WorkspaceId): Timeline {
  const where = sql<boolean>`workspace_id = ${workspaceId}`
  const [counter, removed] = [{ table: 'read.message_totals', where }, sql<bigint>`0`]
  const table = { table: 'read.messages', at: 'queued_at', id: 'id', where }
  return timeline(db, { workspaceId, name: 'messages', ...table, counter, removed })
}

const timeline = (db: Kysely<ReadModels>, parts: TimelineSource): Timeline => ({
  workspaceId: parts.workspaceId,
  name: parts.name,
  page: async (page) => (await pageOf(parts, page).execute(db)).rows,
  isSame: (one, other) => one.total === other.total && one.removed === other.removed,
  now: async ({ extent, anchors }, direction) => {
    const now = (await extentSince(parts, extent).execute(db)).rows[0]
    if (now === undefined) return undefined
    const came = now.total - extent.total
    if (now.removed !== extent.removed || came < 0n || now.recent - extent.recent !== came) return undefined
    return { extent: { ...extent, ...now }, anchors: came === 0n ? anchors : moved({ extent, anchors }, direction, Number(came)) }
  },
})

/** How it stands now, `recent` being counted to now from the same moment as it was before. One more shows that there are more than are of use. */
const extentSince = (parts: TimelineSource, { mark, recent }: Extent) => {
  const { table, where, at } = parts
  const counted = sql`select from ${sql.raw(table)} where ${where} and ${sql.ref(at)} > ${lately(sql`${mark}::timestamptz`)} limit ${Number(recent) + MOST_NEW + 1}`
  // The rows before their totals, as a page reads them and a swap locks them: the other way round they would wait for each other.
  return sql<Pick<Extent, 'total' | 'removed' | 'recent'>>`
    select (select count(*) from (${counted}) r) as recent, ${totalOf(parts)} as total, ${removedOf(parts)} as removed`
}

/** What came is among the recent ones, in whatever order: of the places only those that are older have moved by all of it. */
const moved = ({ extent: { total, recent }, anchors }: KnownTimeline, direction: Direction, by: number): readonly Anchor[] => {
  if (direction === 'asc') return anchors.filter(({ rows }) => rows <= Number(total - recent))
  return anchors.filter(({ rows }) => rows > Number(recent)).map(({ rows, position }) => ({ rows: rows + by, position }))
}

const lately = (newest: RawBuilder<unknown>) => sql`${newest} - interval '2 seconds'`

const pageOf = (parts: TimelineSource, { after, skip, limit, direction }: TimelinePage) => {
  const { table, at: atName, id: idName, where } = parts
  const [from, at, id, way] = [sql.raw(table), sql.ref(atName), sql.ref(idName), sql.raw(direction)]
  const isAfter =
    after === null
      ? sql``
      : sql`and (${at}, ${id}) ${sql.raw(direction === 'asc' ? '>' : '<')} (${after.at}::timestamptz, ${after.id}::uuid)`
  const newest = sql`(select max(${at}) from ${from} where ${where})`
  return sql<TimelineRow>`
    select ${id} as id, ${at}::text as at, ${totalOf(parts)} as total, ${removedOf(parts)} as removed, ${newest}::text as mark,
      (select count(*) from ${from} where ${where} and ${at} > ${lately(newest)}) as recent
    from ${from} where ${where} ${isAfter}
    order by ${at} ${way}, ${id} ${way} limit ${limit} offset ${skip}`
}
