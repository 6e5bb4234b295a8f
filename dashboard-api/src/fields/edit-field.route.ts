import { waitUntilVisible } from '@tidings/administration'
import { CustomFieldParams, EditCustomFieldBody, ShownCustomField } from '@tidings/contracts'
import type { ConfigureCustomField } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { saveRecord } from '../editing/save-record.ts'
import { editableField, editedField, refuseWrongOptions } from './editable-field.ts'

const schema = {
  operationId: 'customFields.edit',
  summary: 'Change what a custom field is called, what it holds and what it offers',
  tags: ['fields'],
  params: CustomFieldParams,
  body: EditCustomFieldBody,
  response: { 200: ShownCustomField },
}

const config = { access: 'session', dashboard: { role: 'admin' }, edits: true, refusals: ['custom_field_not_found'] } as const

/** Values that profiles have are never looked at: a field describes them. */
export function editCustomField(app: App, deps: DashboardDependencies): void {
  app.put('/custom-fields/:id', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const of = { workspaceId, fieldId: request.params.id }
    const { label, kind, options } = request.body
    refuseWrongOptions({ kind, options })
    const { position } = await saveRecord(deps, request, {
      editable: editableField(of),
      commandFor: ({ fieldId, key }): ConfigureCustomField => ({
        type: 'ConfigureCustomField',
        data: { fieldId, key, label, kind, options },
      }),
    })
    await waitUntilVisible(deps, reply, { position, projections: ['custom_fields'] })
    return await editedField(deps, of)
  })
}
