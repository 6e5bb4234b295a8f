import type { FormConfigured, FormOriginsSet, WorkspaceFeaturesSet } from '@tidings/domain'
import { defineProjection, defineTable, row } from '@tidings/projections'
import type { FormRow, FormSettingsRow } from '@tidings/read-models'

const settings = defineTable<FormSettingsRow>({
  name: 'form_settings',
  columns: { workspace_id: 'uuid', enabled: 'boolean', origins: 'text[]' },
  key: ['workspace_id'],
})

const forms = defineTable<FormRow>({
  name: 'forms',
  columns: { workspace_id: 'uuid', form_id: 'text', list_id: 'uuid', template_id: 'uuid?', sender_address_id: 'uuid?' },
  key: ['workspace_id', 'form_id'],
})

/** The settings of a workspace that `POST /forms/subscribe` reads: the feature, the origins, and what each form leads to. */
export const formsProjection = defineProjection<WorkspaceFeaturesSet | FormOriginsSet | FormConfigured>({
  name: 'forms',
  version: 1,
  tables: [settings, forms],
  reads: ({ type, meta: { workspaceId } }) => (type === 'FormConfigured' ? [] : [row(settings, workspaceId)]),
  on: {
    WorkspaceFeaturesSet: ({ data: { features }, meta: { workspaceId } }, rows) => {
      const known = rows.get(settings, workspaceId)
      rows.put(settings, { workspace_id: workspaceId, origins: known?.origins ?? [], enabled: features.includes('embedded_forms') })
    },

    FormOriginsSet: ({ data: { origins }, meta: { workspaceId } }, rows) => {
      const known = rows.get(settings, workspaceId)
      rows.put(settings, { workspace_id: workspaceId, enabled: known?.enabled ?? false, origins })
    },

    FormConfigured: ({ data: { formId, listId, confirmation }, meta: { workspaceId } }, rows) =>
      rows.put(forms, {
        workspace_id: workspaceId,
        form_id: formId,
        list_id: listId,
        template_id: confirmation?.templateId ?? null,
        sender_address_id: confirmation?.senderAddressId ?? null,
      }),
  },
})
