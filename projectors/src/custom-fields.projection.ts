import type { CustomFieldEvent } from '@tidings/domain'
import { defineProjection, defineTable, row } from '@tidings/projections'
import type { CustomFieldRow } from '@tidings/read-models'

const customFields = defineTable<CustomFieldRow<string>>({
  name: 'custom_fields',
  columns: {
    workspace_id: 'uuid',
    id: 'uuid',
    key: 'text',
    label: 'text',
    kind: 'text',
    options: 'jsonb',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  key: ['workspace_id', 'id'],
  cachedRows: 200,
})

/** The custom fields of each workspace: few, so that they need no index but their key. */
export const customFieldsProjection = defineProjection<CustomFieldEvent>({
  name: 'custom_fields',
  version: 1,
  tables: [customFields],
  personal: [],
  reads: ({ data, meta: { workspaceId } }) => [row(customFields, workspaceId, data.fieldId)],
  on: {
    CustomFieldConfigured: ({ data: { fieldId, ...described }, meta: { workspaceId, at } }, rows) =>
      rows.put(customFields, {
        workspace_id: workspaceId,
        id: fieldId,
        ...described,
        created_at: rows.get(customFields, workspaceId, fieldId)?.created_at ?? at,
        updated_at: at,
      }),
  },
})
