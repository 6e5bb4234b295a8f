import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ReadModels } from './tables.ts'

export type Direction = 'asc' | 'desc'
/** A row's place in a timeline. `at` as Postgres writes it, to the microsecond. */
export type Place = Readonly<{ at: string; id: string }>

/**
 * How a timeline stands: equal `total` and `removed` mean the same rows; `removed` names the table too, because one that was built anew or swapped
 * back may have as many of other rows. `recent` of them are from the last two seconds before `newest`.
 */
export type Extent = Readonly<{ total: bigint; removed: string; newest: string | null; recent: bigint }>

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
  /** The row that has the total: its table, and a condition. */
  counter: Readonly<{ table: string; where: RawBuilder<boolean> }>
  /** Counts whatever is no row that came. */
  removed: RawBuilder<bigint>
}>

/** All profiles, as they were created. */
export function profilesTimeline(db: Kysely<ReadModels>, workspaceId: string): Timeline {
  const where = sql<boolean>`workspace_id = ${workspaceId}`
  const counter = { table: 'read.profile_totals', where: sql<boolean>`${where} and bucket = 'all'` }
  const removed = sql<bigint>`(select total from read.profile_totals where ${where} and bucket = 'erased')`
  return timeline(db, { name: `profiles ${workspaceId}`, table: 'read.profiles', at: 'created_at', id: 'id', where, counter, removed })
}

/** The members of a list, as their profiles were created: a new member is seldom a new profile, so any change is one that removes. */
export function membersTimeline(db: Kysely<ReadModels>, workspaceId: string, listId: string): Timeline {
  const of = sql<boolean>`workspace_id = ${workspaceId} and list_id = ${listId}`
  const counter = { table: 'read.list_totals', where: of }
  const removed = sql<bigint>`(select last_commit from read.list_totals where ${of})`
  const name = `members ${workspaceId} ${listId}`
  return timeline(db, { name, table: 'read.list_members', at: 'contact_created_at', id: 'contact_id', where: of, counter, removed })
}

/** All messages, as they were queued. None is ever removed but with the table. */
export function messagesTimeline(db: Kysely<ReadModels>, workspaceId: string): Timeline {
  const where = sql<boolean>`workspace_id = ${workspaceId}`
  const [counter, removed] = [{ table: 'read.message_totals', where }, sql<bigint>`0`]
  return timeline(db, { name: `messages ${workspaceId}`, table: 'read.messages', at: 'queued_at', id: 'id', where, counter, removed })
}

const timeline = (db: Kysely<ReadModels>, parts: Parts): Timeline => ({
  name: parts.name,
  page: async (page) => (await pageOf(parts, page).execute(db)).rows,
  extentSince: async (newest, atMost) => {
    const counted = sql`select from ${sql.raw(parts.table)} where ${parts.where} and ${sql.ref(parts.at)} > ${lately(sql`${newest}::timestamptz`)} limit ${atMost + 1}`
    // The rows before their totals, as a page reads them and a swap locks them: the other way round they would wait for each other.
    const { rows } = await sql<Pick<Extent, 'total' | 'removed' | 'recent'>>`
      select (select count(*) from (${counted}) r) as recent, ${totalAndRemoved(parts)}`.execute(db)
    return rows[0] ?? { total: 0n, removed: '', recent: 0n }
  },
})

/** `removed` as a select of its own, so that it is made once and not for every row that is skipped. */
const totalAndRemoved = ({ counter: { table, where }, removed }: Parts) => {
  const of = (column: string) => sql`(select ${sql.ref(column)} from ${sql.raw(table)} where ${where})`
  return sql`coalesce(${of('total')}, 0) as total, (select concat_ws(' ', coalesce(${removed}, 0), ${of('tableoid')})) as removed`
}

const lately = (newest: RawBuilder<unknown>) => sql`${newest} - interval '2 seconds'`

const pageOf = (parts: Parts, { after, skip, limit, direction }: TimelinePage) => {
  const { table, at: atName, id: idName, where } = parts
  const [from, at, id, way] = [sql.raw(table), sql.ref(atName), sql.ref(idName), sql.raw(direction)]
  const isAfter =
    after === null
      ? sql``
      : sql`and (${at}, ${id}) ${sql.raw(direction === 'asc' ? '>' : '<')} (${after.at}::timestamptz, ${after.id}::uuid)`
  const newest = sql`(select max(${at}) from ${from} where ${where})`
  return sql<TimelineRow>`
    select ${id} as id, ${at}::text as at, ${totalAndRemoved(parts)}, ${newest}::text as newest,
      (select count(*) from ${from} where ${where} and ${at} > ${lately(newest)}) as recent
    from ${from} where ${where} ${isAfter}
    order by ${at} ${way}, ${id} ${way} limit ${limit} offset ${skip}`
}
