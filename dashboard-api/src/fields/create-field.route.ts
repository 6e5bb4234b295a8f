import { waitUntilVisible } from '@tidings/administration'
import { recordIdOf } from '@tidings/codec'
import { NewCustomFieldBody, ShownCustomField } from '@tidings/contracts'
import { MAX_CUSTOM_FIELDS, Refused, type WorkspaceId } from '@tidings/domain'
import { type App, hasLeft } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { createRecord } from '../editing/create-record.ts'
import { oneByOne } from '../editing/one-by-one.ts'
import { editableField, editedField, refuseWrongOptions } from './editable-field.ts'

const schema = {
  operationId: 'customFields.create',
  summary: 'Make a custom field',
  tags: ['fields'],
  body: NewCustomFieldBody,
  response: { 201: ShownCustomField },
}

const config = {
  access: 'session',
  dashboard: { role: 'admin' },
  refusals: ['custom_field_exists', 'custom_field_limit_reached'],
} as const

/** Its id follows from its key, as in a file of `apply`: the same record from either side, and no key twice. */
export function createCustomField(app: App, deps: DashboardDependencies): void {
  const alone = oneByOne()
  app.post('/custom-fields', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { key, label, kind, options } = request.body
    refuseWrongOptions({ kind, options })
    const fieldId = recordIdOf(workspaceId, 'field', key)
    const { decider, stream } = editableField({ workspaceId, fieldId })
    await alone({ workspaceId, isGone: () => hasLeft(request) }, async () => {
      await refuseAboveLimit(deps, { workspaceId, fieldId })
      const { position } = await createRecord(deps, request, {
        decider,
        stream,
        command: { type: 'ConfigureCustomField', data: { fieldId, key, label, kind, options } },
        exists: (state) => state !== null,
        taken: 'custom_field_exists',
      })
      await waitUntilVisible(deps, reply, { position, projections: ['custom_fields'] })
    })
    reply.code(201)
    return await editedField(deps, { workspaceId, fieldId })
  })
}

/** One that is there already is not one more. */
const refuseAboveLimit = async (
  { db }: Pick<DashboardDependencies, 'db'>,
  { workspaceId, fieldId }: Readonly<{ workspaceId: WorkspaceId; fieldId: string }>,
): Promise<void> => {
  const others = forWorkspace(db, workspaceId).customFields().select('id').where('id', '!=', fieldId)
  if ((await others.limit(MAX_CUSTOM_FIELDS).execute()).length === MAX_CUSTOM_FIELDS) throw new Refused('custom_field_limit_reached')
}
