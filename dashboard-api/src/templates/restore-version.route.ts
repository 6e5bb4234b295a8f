import { waitUntilVisible } from '@tidings/administration'
import { EditedTemplate, RestoreVersionBody, TemplateParams } from '@tidings/contracts'
import { type ConfigureTemplate, Refused } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { saveRecord } from '../editing/save-record.ts'
import { versionOf } from '../editing/versions.ts'
import { editableTemplate, editedTemplate } from './editable-template.ts'
import { assertStillConfirms, formThatAsks } from './still-confirms.ts'
import { templateVersions } from './template-versions.ts'

const schema = {
  operationId: 'templates.restoreVersion',
  summary: 'Give a template the texts of an earlier version, as a new version that says so',
  tags: ['templates'],
  params: TemplateParams,
  body: RestoreVersionBody,
  response: { 200: EditedTemplate },
}

const config = {
  access: 'session',
  dashboard: { role: 'member' },
  edits: true,
  refusals: ['template_not_found', 'template_version_not_found'],
} as const

export function restoreVersion(app: App, deps: DashboardDependencies): void {
  app.post('/templates/:id/versions', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { id: templateId } = request.params
    const { version } = request.body
    const editable = editableTemplate(workspaceId, templateId)
    await readRecord(deps, workspaceId, editable)
    const earlier = await versionOf(deps, templateVersions(workspaceId, templateId), { workspaceId, version })
    if (earlier === null) throw new Refused('template_version_not_found')
    const formId = await formThatAsks(deps, { workspaceId, templateId })
    const { position } = await saveRecord(deps, request, {
      editable,
      commandFor: ({ name, channel, archived }): ConfigureTemplate => {
        assertStillConfirms(formId, { name, channel, ...earlier.content })
        return { type: 'ConfigureTemplate', data: { templateId, name, channel, archived, ...earlier.content, restoredFrom: version } }
      },
    })
    await waitUntilVisible(deps, reply, { position, projections: ['templates'] })
    return await editedTemplate(deps, { workspaceId, templateId })
  })
}
