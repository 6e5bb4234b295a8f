import { CampaignPage, ListCampaignsQuery } from '@tidings/contracts'
import { type App, page } from '@tidings/http'
import { forWorkspace, toCampaignOption } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'
import { richWindow } from '../window.ts'
import { filterCampaigns } from './campaign-filter.ts'
import { campaignOrder } from './campaign-order.ts'

const schema = {
  operationId: 'campaigns.list',
  summary: 'List the campaigns',
  tags: ['lookups'],
  querystring: ListCampaignsQuery,
  response: { 200: CampaignPage },
}

/** Campaigns that were never scheduled or sent come last, whichever way the list is sorted. */
export function listCampaigns(app: App, { db }: Dependencies): void {
  app.get('/public/campaigns', { schema }, async ({ tenant, query }) => {
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
