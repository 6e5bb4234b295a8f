import { MergeFields, TemplateParams } from '@tidings/contracts'
import { type App, refusal } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'

const schema = {
  operationId: 'templates.mergeFields',
  summary: 'List the merge tags of a template',
  tags: ['lookups'],
  params: TemplateParams,
  response: { 200: MergeFields },
}

const config = { dashboard: { role: 'member' }, refusals: ['template_not_found'] } as const

export function listMergeFields(app: App, { db }: Dependencies): void {
  app.get('/public/templates/:id/merge-fields', { schema, config }, async ({ tenant, params }) => {
    const template = await forWorkspace(db, tenant.workspaceId)
      .templates()
      .select('merge_fields')
      .where('id', '=', params.id)
      .where('archived', '=', false)
      .executeTakeFirst()
    if (template === undefined) throw refusal('template_not_found')
    return { items: [...template.merge_fields] }
  })
}
