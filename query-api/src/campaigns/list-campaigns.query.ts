import { CampaignPage, ListCampaignsQuery } from '@tidings/contracts'
import { type App, page } from '@tidings/http'
import { type CampaignRow, forWorkspace, type ReadModels, toCampaignOption } from '@tidings/read-models'
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Dependencies } from '../dependencies.ts'
import { likePattern } from '../like-pattern.ts'
import { withOneSigma } from '../one-sigma.ts'
import { type SortOrder, sortOrder } from '../sort-order.ts'
import { richWindow } from '../window.ts'

const schema = {
  operationId: 'campaigns.list',
  summary: 'List the campaigns',
  tags: ['lookups'],
  querystring: ListCampaignsQuery,
  response: { 200: CampaignPage },
}

const config = { dashboard: { role: 'member' } } as const

/** Campaigns that were never scheduled or sent come last, whichever way the list is sorted. */
export function listCampaigns(app: App, { db }: Dependencies): void {
  app.get('/public/campaigns', { schema, config }, async ({ tenant, query }) => {
    const window = richWindow(query)
    const { column, direction } = campaignOrder(query.sort)
    const wanted = filterCampaigns(forWorkspace(db, tenant.workspaceId).campaigns(), query)
    const rows = wanted
      .select(['id', 'name', 'channel', 'status'])
      .orderBy(column, (order) => (direction === 'asc' ? order.asc() : order.desc()).nullsLast())
      .orderBy('id', direction)
      .limit(window.limit)
      .offset(window.offset)
      .execute()
    const count = wanted.select(({ fn }) => fn.countAll<bigint>().as('total')).executeTakeFirstOrThrow()
    const [items, { total }] = await Promise.all([rows, count])
    return page(items.map(toCampaignOption), Number(total), window)
  })
}

type Rows = SelectQueryBuilder<ReadModels, 'campaigns', object>

/** The filters of the campaign list (contract: Lookup lists; N391). `statuses` replaces `status`. */
function filterCampaigns(rows: Rows, query: ListCampaignsQuery): Rows {
  const { status, statuses = status && [status], channel, search, tagIds, segmentId, archived = false, multiVariant } = query
  return rows.where((where) =>
    where.and([
      where('archived', '=', archived),
      ...(statuses === undefined ? [] : [where('status', 'in', statuses)]),
      ...(channel === undefined ? [] : [where('channel', '=', channel)]),
      ...(search === undefined ? [] : [where(withOneSigma(comparedName), 'like', sought(search))]),
      ...(tagIds === undefined ? [] : [sql<boolean>`tag_ids && ${tagIds}::text[]`]),
      ...(segmentId === undefined ? [] : [where('list_id', '=', segmentId)]),
      ...(multiVariant === undefined ? [] : [where('variants', multiVariant ? '>' : '<=', 1)]),
    ]),
  )
}

/** A name from before M46 may be in another form than the search. */
const comparedName = sql<string>`lower(normalize(name, nfc) collate "default")`

const sought = (search: string) => withOneSigma(sql<string>`lower(${likePattern(search)} collate "default")`)

/** The name without regard to case. */
const foldedName = sql<string>`lower(name collate "default")`

type Column = keyof CampaignRow | RawBuilder<string>

/** The order that a `sort` of the campaign list asks for; last changed first by default (contract: Pagination). */
const campaignOrder: (sort: string | undefined) => SortOrder<Column> = sortOrder<Column>(
  {
    createdAt: { column: 'created_at', bare: 'desc' },
    updatedAt: { column: 'updated_at', bare: 'desc' },
    name: { column: foldedName, bare: 'asc' },
    scheduleAt: { column: 'schedule_at', bare: 'desc' },
    sentAt: { column: 'sent_at', bare: 'desc' },
  },
  { column: 'updated_at', direction: 'desc' },
)
