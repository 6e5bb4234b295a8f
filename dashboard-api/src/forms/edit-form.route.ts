import { waitUntilVisible } from '@tidings/administration'
import { EditFormBody, FormParams, ShownForm } from '@tidings/contracts'
import { asFormId, type WorkspaceCommand } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { saveRecord } from '../editing/save-record.ts'
import { editableForm, shownForm } from './forms.ts'
import { wantedForm } from './wanted-form.ts'

const base = { tags: ['forms'], params: FormParams, response: { 200: ShownForm } }
const schema = { ...base, operationId: 'forms.get', summary: 'Read a form as it is now' }
const editSchema = {
  ...{ ...base, operationId: 'forms.edit', summary: 'Change what a form leads to, archive it, or bring it back' },
  body: EditFormBody,
}

const config = { access: 'session', dashboard: { role: 'admin' }, refusals: ['form_not_found'] } as const
const editConfig = { ...config, refusals: ['form_not_found', 'workspace_not_found'], edits: true } as const

export function editForm(app: App, deps: DashboardDependencies): void {
  app.get('/forms/:id', { schema, config }, ({ tenant: { workspaceId }, params: { id } }) => shownForm(deps, { workspaceId, id }))

  app.put('/forms/:id', { schema: editSchema, config: editConfig }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { id } = request.params
    const { archived, ...asked } = request.body
    const formId = asFormId(id)
    const editable = editableForm({ workspaceId, formId })
    const { record } = await readRecord(deps, workspaceId, editable)
    const wanted = await wantedForm(deps, workspaceId, { asked, known: archived ? record : null })
    const { position } = await saveRecord(deps, request, {
      editable,
      commandFor: (): WorkspaceCommand => ({ type: 'ConfigureForm', data: { formId, ...wanted, archived } }),
    })
    await waitUntilVisible(deps, reply, { position, projections: ['forms'] })
    return await shownForm(deps, { workspaceId, id })
  })
}
