import { ListTemplatesQuery, TemplatePage } from '@tidings/contracts'
import { type App, page } from '@tidings/http'
import { forWorkspace, toTemplateOption } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'
import { standardWindow } from '../window.ts'

const schema = {
  operationId: 'templates.list',
  summary: 'List the templates of the library',
  tags: ['lookups'],
  querystring: ListTemplatesQuery,
  response: { 200: TemplatePage },
}

export function listTemplates(app: App, { db }: Dependencies): void {
  app.get('/public/templates', { schema }, async ({ tenant, query }) => {
    const window = standardWindow(query)
    const live = forWorkspace(db, tenant.workspaceId).templates().where('archived', '=', false)
    const wanted = query.channel === undefined ? live : live.where('channel', '=', query.channel)
    const rows = wanted
      .select(['id', 'name', 'channel', 'merge_fields'])
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(window.limit)
      .offset(window.offset)
      .execute()
    const count = wanted.select(({ fn }) => fn.countAll<bigint>().as('total')).executeTakeFirstOrThrow()
    const [items, { total }] = await Promise.all([rows, count])
    return page(items.map(toTemplateOption), Number(total), window)
  })
}
