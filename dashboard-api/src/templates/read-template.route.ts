import { EditedTemplate, TemplateParams } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { editedTemplate } from './editable-template.ts'

const schema = {
  operationId: 'templates.get',
  summary: 'Read a template as it is stored, archived or not',
  tags: ['templates'],
  params: TemplateParams,
  response: { 200: EditedTemplate },
}

const config = { access: 'session', dashboard: { role: 'member' }, refusals: ['template_not_found'] } as const

export function readTemplate(app: App, deps: DashboardDependencies): void {
  app.get('/templates/:id', { schema, config }, ({ tenant: { workspaceId }, params: { id: templateId } }) =>
    editedTemplate(deps, { workspaceId, templateId }),
  )
}
