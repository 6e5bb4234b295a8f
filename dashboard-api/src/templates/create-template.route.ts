import { waitUntilVisible } from '@tidings/administration'
import { recordIdOf } from '@tidings/codec'
import { EditedTemplate, NewTemplateBody } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { createRecord } from '../editing/create-record.ts'
import { editableTemplate, editedTemplate } from './editable-template.ts'
import { contentOf } from './template-content.ts'

const schema = {
  operationId: 'templates.create',
  summary: 'Add a template to the library',
  tags: ['templates'],
  body: NewTemplateBody,
  response: { 201: EditedTemplate },
}

const config = { access: 'session', dashboard: { role: 'member' }, refusals: ['template_name_taken'] } as const

/** Its id comes of its name, as in a workspace file: a record is the same wherever it was made. */
export function createTemplate(app: App, deps: DashboardDependencies): void {
  app.post('/templates', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { name, channel, ...texts } = request.body
    const templateId = recordIdOf(workspaceId, 'template', name)
    const { decider, stream } = editableTemplate(workspaceId, templateId)
    const { position } = await createRecord(deps, request, {
      decider,
      stream,
      command: { type: 'ConfigureTemplate', data: { templateId, name, channel, archived: false, ...contentOf(channel, texts) } },
      exists: ({ exists }) => exists,
      taken: 'template_name_taken',
    })
    await waitUntilVisible(deps, reply, { position, projections: ['templates'] })
    reply.code(201)
    return await editedTemplate(deps, { workspaceId, templateId })
  })
}
