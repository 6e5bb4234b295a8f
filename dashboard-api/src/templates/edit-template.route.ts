import { waitUntilVisible } from '@tidings/administration'
import { EditedTemplate, EditTemplateBody, TemplateParams } from '@tidings/contracts'
import type { ConfigureTemplate } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { saveRecord } from '../editing/save-record.ts'
import { editableTemplate, editedTemplate } from './editable-template.ts'
import { assertStillConfirms, formThatAsks } from './still-confirms.ts'
import { contentOf } from './template-content.ts'

const schema = {
  operationId: 'templates.edit',
  summary: 'Give a template other texts',
  tags: ['templates'],
  params: TemplateParams,
  body: EditTemplateBody,
  response: { 200: EditedTemplate },
}

const config = { access: 'session', dashboard: { role: 'member' }, edits: true, refusals: ['template_not_found'] } as const

export function editTemplate(app: App, deps: DashboardDependencies): void {
  app.put('/templates/:id', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { id: templateId } = request.params
    const formId = await formThatAsks(deps, { workspaceId, templateId })
    const { position } = await saveRecord(deps, request, {
      editable: editableTemplate(workspaceId, templateId),
      commandFor: ({ name, channel, archived }): ConfigureTemplate => {
        const content = contentOf(channel, request.body)
        assertStillConfirms(formId, { name, channel, ...content })
        return { type: 'ConfigureTemplate', data: { templateId, name, channel, archived, ...content } }
      },
    })
    await waitUntilVisible(deps, reply, { position, projections: ['templates'] })
    return await editedTemplate(deps, { workspaceId, templateId })
  })
}
