import { TemplateParams, TemplateVersions, VersionsQuery } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { pageOfVersions } from '../editing/versions.ts'
import { editableTemplate } from './editable-template.ts'
import { templateVersions } from './template-versions.ts'

const schema = {
  operationId: 'templates.versions',
  summary: 'The changes of a template, the last first',
  tags: ['templates'],
  params: TemplateParams,
  querystring: VersionsQuery,
  response: { 200: TemplateVersions },
}

const config = { access: 'session', dashboard: { role: 'member' }, refusals: ['template_not_found'] } as const

export function listVersions(app: App, deps: Pick<DashboardDependencies, 'commands' | 'db' | 'log'>): void {
  app.get('/templates/:id/versions', { schema, config }, ({ tenant: { workspaceId }, params: { id }, query: { after } }) =>
    pageOfVersions(deps, workspaceId, {
      editable: editableTemplate(workspaceId, id),
      versioned: templateVersions(workspaceId, id),
      after,
    }),
  )
}
