import { ListTemplatesQuery, TemplatePage } from '@tidings/contracts'
import { type App, page } from '@tidings/http'
import { templatePages, toTemplateOption } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'
import { standardWindow } from '../window.ts'

const schema = {
  operationId: 'templates.list',
  summary: 'List the templates of the library',
  tags: ['lookups'],
  querystring: ListTemplatesQuery,
  response: { 200: TemplatePage },
}

const config = { dashboard: { role: 'member' } } as const

export function listTemplates(app: App, { db }: Dependencies): void {
  const pageOf = templatePages(db)
  app.get('/public/templates', { schema, config }, async ({ tenant, query }) => {
    const window = standardWindow(query)
    const { rows, total } = await pageOf(tenant.workspaceId, { ...window, ...(query.channel !== undefined && { channel: query.channel }) })
    return page(rows.map(toTemplateOption), total, window)
  })
}
