import { TemplateParams, TemplateVersions, TemplateVersionsQuery } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { namesOfActors } from '../editing/last-change.ts'
import { editableTemplate } from './editable-template.ts'
import { templateVersions } from './template-versions.ts'

const schema = {
  operationId: 'templates.versions',
  summary: 'The changes of a template, the last first',
  tags: ['templates'],
  params: TemplateParams,
  querystring: TemplateVersionsQuery,
  response: { 200: TemplateVersions },
}

const config = { access: 'session', dashboard: { role: 'member' }, refusals: ['template_not_found'] } as const

/** Versions of a page: each is read with its texts. */
const LIMIT = 20

export function listVersions(app: App, deps: Pick<DashboardDependencies, 'commands' | 'db' | 'log'>): void {
  app.get(
    '/templates/:id/versions',
    { schema, config },
    async ({ tenant: { workspaceId }, params: { id: templateId }, query: { after } }) => {
      const { revision } = await readRecord(deps, workspaceId, editableTemplate(workspaceId, templateId))
      const from = Math.min((after ?? revision + 2) - 1, revision + 1)
      const versions = from < 1 ? [] : await templateVersions(deps.log, { workspaceId, templateId, from, limit: LIMIT })
      const nameOf = await namesOfActors(
        deps.db,
        workspaceId,
        versions.map(({ actor }) => actor),
      )
      const last = versions.at(-1)?.version ?? 1
      return {
        items: versions.map(({ version, at, actor, what, restoredFrom }) => ({ version, at, by: nameOf(actor), what, restoredFrom })),
        next_cursor: last > 1 ? String(last) : null,
      }
    },
  )
}
