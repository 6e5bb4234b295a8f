import { CustomFieldPage, StandardQuery } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { forWorkspace, toCustomFieldOption } from '@tidings/read-models'
import { byLabel, sliced } from '../alphabetical.ts'
import type { Dependencies } from '../dependencies.ts'
import { standardWindow } from '../window.ts'

const schema = {
  operationId: 'customFields.list',
  summary: 'List the custom fields',
  tags: ['lookups'],
  querystring: StandardQuery,
  response: { 200: CustomFieldPage },
}

const config = { dashboard: { role: 'member' } } as const

export function listCustomFields(app: App, { db }: Dependencies): void {
  app.get('/public/custom-fields', { schema, config }, async ({ tenant, query }) => {
    const rows = await forWorkspace(db, tenant.workspaceId)
      .customFields()
      .select(['id', 'key', 'label', 'kind', 'options'])
      .orderBy('id')
      .execute()
    return sliced(rows.map(toCustomFieldOption).sort(byLabel), standardWindow(query))
  })
}
