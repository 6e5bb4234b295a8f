import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ReadModels } from './tables.ts'

export type Direction = 'asc' | 'desc'
/** A row's place in a timeline. `at` as Postgres writes it, to the microsecond. */
export type Place = Readonly<{ at: string; id: string }>

/** How a timeline stands: equal `total` and `removed` mean the same rows. `recent` of them are from the last two seconds before `newest`. */
export type Extent = Readonly<{ total: bigint; removed: bigint; newest: string | null; recent: bigint }>

export type TimelineRow = Place & Extent
type TimelinePage = Readonly<{ after: Place | null; skip: number; limit: number; direction: Direction }>

/**
 * Rows of a workspace in the order of a time that never changes. New ones come at its end, or near it: processes have clocks of their own.
 * Each answer is of one moment.
 */
export type Timeline = Readonly<{
  /** No other timeline has it, in any workspace. */
  name: string
  /** The rows that follow a place, each with how the timeline stood. */
  page: (page: TimelinePage) => Promise<readonly TimelineRow[]>
  /** How it stands now, `recent` being counted to now from the same moment as it was when `newest` was. Counts `atMost`, and one to show that there are more. */
  extentSince: (newest: string | null, atMost: number) => Promise<Pick<Extent, 'total' | 'removed' | 'recent'>>
}>

type Parts = Readonly<{
  name: string
  table: string
  at: string
  id: string
  where: RawBuilder<boolean>
  total: RawBuilder<bigint>
  /** Counts whatever is no row that came. */
  removed: RawBuilder<bigint>
}>

const totalOf = (workspaceId: string, bucket: 'all' | 'erased') =>
  sql<bigint>`coalesce((select total from read.profile_totals where workspace_id = ${workspaceId} and bucket = ${bucket}), 0)`

/** All profiles, as they were created. */
export function profilesTimeline(db: Kysely<ReadModels>, workspaceId: string): Timeline {
  const [total, removed] = [totalOf(workspaceId, 'all'), totalOf(workspaceId, 'erased')]
  const where = sql<boolean>`workspace_id = ${workspaceId}`
  return timeline(db, { name: `profiles ${workspaceId}`, table: 'read.profiles', at: 'created_at', id: 'id', where, total, removed })
}

/** The members of a list, as their profiles were created: a new member is seldom a new profile, so any change is one that removes. */
export function membersTimeline(db: Kysely<ReadModels>, workspaceId: string, listId: string): Timeline {
  const of = sql<boolean>`workspace_id = ${workspaceId} and list_id = ${listId}`
  const total = sql<bigint>`coalesce((select total from read.list_totals where ${of}), 0)`
  const removed = sql<bigint>`coalesce((select last_commit from read.list_totals where ${of}), 0)`
  const name = `members ${workspaceId} ${listId}`
  return timeline(db, { name, table: 'read.list_members', at: 'contact_created_at', id: 'contact_id', where: of, total, removed })
}

/** All messages, as they were queued. None is ever removed but with the table. */
export function messagesTimeline(db: Kysely<ReadModels>, workspaceId: string): Timeline {
  const where = sql<boolean>`workspace_id = ${workspaceId}`
  const total = sql<bigint>`coalesce((select total from read.message_totals where ${where}), 0)`
  const removed = sql<bigint>`0::bigint`
  return timeline(db, { name: `messages ${workspaceId}`, table: 'read.messages', at: 'queued_at', id: 'id', where, total, removed })
}

const timeline = (db: Kysely<ReadModels>, parts: Parts): Timeline => ({
  name: parts.name,
  page: async (page) => (await pageOf(parts, page).execute(db)).rows,
  extentSince: async (newest, atMost) => {
    const counted = sql`select from ${sql.raw(parts.table)} where ${parts.where} and ${sql.ref(parts.at)} > ${lately(sql`${newest}::timestamptz`)} limit ${atMost + 1}`
    // The rows before their totals, as a page reads them and a swap locks them: the other way round they would wait for each other.
    const { rows } = await sql<Pick<Extent, 'total' | 'removed' | 'recent'>>`
      select (select count(*) from (${counted}) r) as recent, ${parts.total} as total, ${parts.removed} as removed`.execute(db)
    return rows[0] ?? { total: 0n, removed: 0n, recent: 0n }
  },
})

const lately = (newest: RawBuilder<unknown>) => sql`${newest} - interval '2 seconds'`

const pageOf = ({ table, at: atName, id: idName, where, total, removed }: Parts, { after, skip, limit, direction }: TimelinePage) => {
  const [from, at, id, way] = [sql.raw(table), sql.ref(atName), sql.ref(idName), sql.raw(direction)]
  const isAfter =
    after === null
      ? sql``
      : sql`and (${at}, ${id}) ${sql.raw(direction === 'asc' ? '>' : '<')} (${after.at}::timestamptz, ${after.id}::uuid)`
  const newest = sql`(select max(${at}) from ${from} where ${where})`
  return sql<TimelineRow>`
    select ${id} as id, ${at}::text as at, ${total} as total, ${removed} as removed, ${newest}::text as newest,
      (select count(*) from ${from} where ${where} and ${at} > ${lately(newest)}) as recent
    from ${from} where ${where} ${isAfter}
    order by ${at} ${way}, ${id} ${way} limit ${limit} offset ${skip}`
}
