import { appendContext, waitUntilVisible } from '@tidings/administration'
import { EditedTemplate, TemplateParams } from '@tidings/contracts'
import { type App, invalidRequest } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { editableTemplate, editedTemplate } from './editable-template.ts'
import { formThatAsks } from './still-confirms.ts'

const config = { access: 'session', dashboard: { role: 'member' }, refusals: ['template_not_found'] } as const

const moves = [
  { path: 'archive', type: 'ArchiveTemplate', summary: 'Let no send use a template any more' },
  { path: 'restore', type: 'RestoreTemplate', summary: 'Let sends use an archived template again' },
] as const

/** Two moves, each of which is already done or can be undone: neither asks for an etag. */
export function archiveTemplate(app: App, deps: DashboardDependencies): void {
  for (const { path, type, summary } of moves) {
    const schema = {
      operationId: `templates.${path}`,
      summary,
      tags: ['templates'],
      params: TemplateParams,
      response: { 200: EditedTemplate },
    }
    app.post(`/templates/:id/${path}`, { schema, config }, async (request, reply) => {
      const { workspaceId } = request.tenant
      const { id: templateId } = request.params
      const formId = type === 'ArchiveTemplate' ? await formThatAsks(deps, { workspaceId, templateId }) : null
      if (formId !== null)
        throw invalidRequest(`The form "${formId}" asks to confirm sign-ups with this template: choose another there first`)
      const { decider, stream } = editableTemplate(workspaceId, templateId)
      const context = appendContext(request, deps.now())
      const { position } = await deps.commands.execute({ decider, stream, command: { type, data: { templateId } }, context })
      await waitUntilVisible(deps, reply, { position, projections: ['templates'] })
      return await editedTemplate(deps, { workspaceId, templateId })
    })
  }
}
