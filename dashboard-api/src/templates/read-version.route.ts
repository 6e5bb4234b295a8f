import { TemplateParams, TemplateVersionContent, VersionQuery } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { namesOfActors } from '../editing/last-change.ts'
import { versionOf } from '../editing/versions.ts'
import { editableTemplate } from './editable-template.ts'
import { templateVersions } from './template-versions.ts'

const schema = {
  operationId: 'templates.version',
  summary: 'One version of a template, with the texts that it had since',
  tags: ['templates'],
  params: TemplateParams,
  querystring: VersionQuery,
  response: { 200: TemplateVersionContent },
}

const config = {
  access: 'session',
  dashboard: { role: 'member' },
  refusals: ['template_not_found', 'template_version_not_found'],
} as const

export function readVersion(app: App, deps: Pick<DashboardDependencies, 'commands' | 'db' | 'log'>): void {
  app.get('/templates/:id/version', { schema, config }, async ({ tenant: { workspaceId }, params: { id: templateId }, query }) => {
    await readRecord(deps, workspaceId, editableTemplate(workspaceId, templateId))
    const found = await versionOf(deps, templateVersions(workspaceId, templateId), { workspaceId, version: query.version })
    if (found === null) throw new Refused('template_version_not_found')
    const { actor, ...version } = found
    return { ...version, by: (await namesOfActors(deps.db, workspaceId, [actor]))(actor) }
  })
}
