import type { WorkspaceId } from '@tidings/domain'
import { compiledQuery } from '@tidings/postgres'
import { type Kysely, sql } from 'kysely'
import { batchBySnapshot } from './batch-by-snapshot.ts'
import { forWorkspace } from './for-workspace.ts'
import type { ReadModels, TemplateRow } from './tables.ts'

type ListedTemplate = Pick<TemplateRow, 'id' | 'name' | 'channel' | 'merge_fields'>
type TemplatePageKey = readonly [workspaceId: WorkspaceId, channel: string, limit: string, offset: string]

/** A page of templates; without `channel`, of all channels. */
type TemplatePageRequest = Readonly<{ channel?: TemplateRow['channel']; limit: number; offset: number }>

/** Templates that are not archived, the last changed first, and how many there are before and behind this page too. */
export type TemplatePages = (
  workspaceId: WorkspaceId,
  wanted: TemplatePageRequest,
) => Promise<Readonly<{ rows: readonly ListedTemplate[]; total: number }>>

const MAX_PAGES = 100

/** Rows and count are one statement; pages that are asked for in one turn of the event loop are read once. */
export function templatePages(db: Kysely<ReadModels>): TemplatePages {
  const find = compiledQuery(db, (...asked: TemplatePageKey) => ({ compile: () => pageOf(db, asked).compile(db) }))
  const ask = batchBySnapshot({
    // A page whose query fails must fail alone: the others are of other requests and workspaces.
    load: async (keys: readonly string[]) => new Map(keys.map((key) => [key, find(...(JSON.parse(key) as TemplatePageKey))])),
    pick: async (found, key) => (await found.get(key)) ?? [],
    maxKeys: MAX_PAGES,
  })
  return async (workspaceId, { channel = '', limit, offset }) => {
    const found = await ask(JSON.stringify([workspaceId, channel, String(limit), String(offset)] satisfies TemplatePageKey))
    const [first] = found
    return { rows: found.filter(isRow), total: Number(first?.total ?? 0) }
  }
}

/** A page behind the last has one row that says the total, and nothing else. */
type TemplatePageRow = Readonly<{ total: bigint }> & (ListedTemplate | Readonly<{ [Column in keyof ListedTemplate]: null }>)

const isRow = (found: TemplatePageRow): found is TemplatePageRow & ListedTemplate => found.id !== null

const pageOf = (db: Kysely<ReadModels>, [workspaceId, channel, limit, offset]: TemplatePageKey) => {
  const live = forWorkspace(db, workspaceId)
    .templates()
    .select(['id', 'name', 'channel', 'merge_fields', 'updated_at'])
    .where('archived', '=', sql.lit(false))
    .where('channel', '=', sql<TemplateRow['channel']>`coalesce(nullif(${channel}, ''), channel)`)
  return sql<TemplatePageRow>`with live as (${live})
    select counted.total, shown.id, shown.name, shown.channel, shown.merge_fields
    from (select count(*) as total from live) counted
    left join (select * from live order by updated_at desc, id desc limit ${limit}::bigint offset ${offset}::bigint) shown on true
    order by shown.updated_at desc, shown.id desc`
}
