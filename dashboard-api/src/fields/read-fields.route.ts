import { CustomFieldParams, ListedCustomFields, ShownCustomField } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import { sql } from 'kysely'
import type { DashboardDependencies } from '../dependencies.ts'
import { editedField } from './editable-field.ts'

const allSchema = {
  operationId: 'customFields.all',
  summary: 'The custom fields of the workspace, by label',
  tags: ['fields'],
  response: { 200: ListedCustomFields },
}
const schema = {
  operationId: 'customFields.get',
  summary: 'Read a custom field as it is now',
  tags: ['fields'],
  params: CustomFieldParams,
  response: { 200: ShownCustomField },
}

const allConfig = { access: 'session', dashboard: { role: 'admin' } } as const
const config = { ...allConfig, refusals: ['custom_field_not_found'] } as const

/** A workspace file may have more. */
const SHOWN = 500

export function readCustomFields(app: App, deps: DashboardDependencies): void {
  app.get('/custom-fields/all', { schema: allSchema, config: allConfig }, async ({ tenant: { workspaceId } }) => {
    const rows = await forWorkspace(deps.db, workspaceId)
      .customFields()
      .select(['id', 'key', 'label', 'kind', 'updated_at', sql<number>`jsonb_array_length(options)`.as('options')])
      .orderBy('label')
      .orderBy('id')
      .limit(SHOWN)
      .execute()
    return { items: rows.map(({ updated_at, ...field }) => ({ ...field, updatedAt: updated_at.toISOString() })) }
  })

  app.get('/custom-fields/:id', { schema, config }, ({ tenant: { workspaceId }, params: { id: fieldId } }) =>
    editedField(deps, { workspaceId, fieldId }),
  )
}
