import type { WorkspaceId } from '@tidings/domain'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { onlyCame, standColumns, writtenSince } from './changed-profiles.ts'
import type { ReadModels } from './tables.ts'
import {
  type Anchor,
  type Direction,
  type Extent,
  type KnownTimeline,
  MOST_NEW,
  type Timeline,
  type TimelinePage,
  type TimelinePosition,
  type TimelineRow,
} from './timeline.ts'

type Key = RawBuilder<string | null>
type ProfileOrder = Readonly<{ workspaceId: WorkspaceId; key: Key }>

/**
 * All profiles in the order of a field that `profile_search` holds: `key`, called `name`, as the index of the profiles has it. A new one may stand anywhere,
 * so each place moves by those that came before it; after a change of any such field, places are forgotten. A place is an id: no address or name is kept.
 */
export function profilesByKey(
  db: Kysely<ReadModels>,
  workspaceId: WorkspaceId,
  { name, key }: Readonly<{ name: string; key: Key }>,
): Timeline {
  const parts = { workspaceId, key }
  return {
    workspaceId,
    name: `profiles by ${name}`,
    page: async (page) => (await pageOf(parts, page).execute(db)).rows,
    isSame: (one, other) => one.mark !== null && one.mark === other.mark && one.total === other.total && one.removed === other.removed,
    now: async (known, direction) => {
      const { extent, anchors } = known
      const now = (await movesOf(parts, known).execute(db)).rows[0]
      if (now === undefined || !onlyCame(extent, now, { written: now.written, atMost: MOST_NEW })) return undefined
      const { total, removed, mark, before } = now
      return { extent: { total, removed, mark, recent: 0n }, anchors: moved(anchors, { direction, before, came: Number(now.written) }) }
    },
  }
}

const standOf = ({ workspaceId }: ProfileOrder) => sql.join(standColumns(workspaceId))
const inWorkspace = ({ workspaceId }: ProfileOrder) => sql`from read.profiles where workspace_id = ${workspaceId}`

/** A row without a key comes after all others, and before them in descending order. */
const isAfter = (parts: ProfileOrder, { id, at }: TimelinePosition, direction: Direction) => {
  const beyond = sql.raw(direction === 'asc' ? '>' : '<')
  if (at === null) return sql`and ${parts.key} is null and id ${beyond} ${id}::uuid`
  return sql`and (${parts.key}, id) ${beyond} (select ${parts.key}, id ${inWorkspace(parts)} and id = ${id})`
}

const pageOf = (parts: ProfileOrder, { after, skip, limit, direction }: TimelinePage) => {
  const way = sql.raw(direction)
  return sql<TimelineRow>`
    select id, case when ${parts.key} is null then null else '' end as at, ${standOf(parts)}, 0::bigint as recent
    ${inWorkspace(parts)} ${after === null ? sql`` : isAfter(parts, after, direction)}
    order by ${parts.key} ${way}, id ${way} limit ${limit} offset ${skip}`
}

/** `before`: how many of those that were written stand before each place, going up. Not looked for where too many were: that took 10 to 30 ms. */
type Moves = Omit<Extent, 'recent'> & Readonly<{ written: bigint; before: readonly number[] }>

const movesOf = (parts: ProfileOrder, { extent: { mark }, anchors }: KnownTimeline) => {
  const rowsOf = (ids: RawBuilder<unknown>) => sql`select id, ${parts.key} as key ${inWorkspace(parts)} and id in (${ids})`
  const ids = anchors.map(({ position }) => position.id)
  return sql<Moves>`
    with written as materialized (${rowsOf(sql`select id from (${writtenSince(parts.workspaceId, mark, MOST_NEW)}) w`)}),
      positions as materialized (${rowsOf(sql`select unnest(${ids}::uuid[])`)})
    select (select count(*) from written) as written,
      case when (select count(*) from written) > ${MOST_NEW} then '{}' else array(select (select count(*)::int from written w where case
          when p.key is null then w.key is not null or w.id < p.id else (w.key, w.id) < (p.key, p.id) end)
        from unnest(${ids}::uuid[]) with ordinality o (id, n) left join positions p using (id) order by n) end as before,
      ${standOf(parts)}`
}

type Moved = Readonly<{ direction: Direction; before: readonly number[]; came: number }>

const moved = (anchors: readonly Anchor[], { direction, before, came }: Moved): readonly Anchor[] => {
  if (came === 0) return anchors
  const by = (n: number): number => (direction === 'asc' ? (before[n] ?? 0) : came - (before[n] ?? 0))
  return anchors.map(({ rows, position }, n) => ({ rows: rows + by(n), position }))
}
