import type {
  FormArchived,
  FormConfigured,
  FormId,
  FormOriginsSet,
  FormRestored,
  SignUpEvent,
  WorkspaceFeaturesSet,
  WorkspaceId,
} from '@tidings/domain'
import { asFormId } from '@tidings/domain'
import { defineProjection, defineTable, type Rows, row } from '@tidings/projections'
import type { FormRow, FormSettingsRow } from '@tidings/read-models'

const settings = defineTable<FormSettingsRow>({
  name: 'form_settings',
  columns: { workspace_id: 'uuid', enabled: 'boolean', origins: 'text[]' },
  key: ['workspace_id'],
})

const forms = defineTable<FormRow>({
  name: 'forms',
  columns: {
    workspace_id: 'uuid',
    form_id: 'text',
    list_id: 'uuid',
    template_id: 'uuid?',
    sender_address_id: 'uuid?',
    archived: 'boolean',
    sign_ups: 'integer',
    confirmed: 'integer',
  },
  key: ['workspace_id', 'form_id'],
  fillfactor: 70,
})

type FormEvent = FormConfigured | FormArchived | FormRestored
type EventOfForm = Readonly<{ type: string; data: unknown; meta: Readonly<{ workspaceId: WorkspaceId; actor: string }> }>

const OF_FORM = 'form:'

/** A sign-up has its form as its actor: `formId` is a text of the visitor, which ends with an erasure. Null where that is no label. */
const formOf = ({ meta: { actor } }: EventOfForm): FormId | null =>
  actor.startsWith(OF_FORM) ? asFormId(actor.slice(OF_FORM.length)) : null

const change = (
  { meta: { workspaceId } }: EventOfForm,
  rows: Rows,
  to: Readonly<{ formId: FormId; of: (form: FormRow) => Partial<FormRow> }>,
): void => {
  const known = rows.get(forms, workspaceId, to.formId)
  if (known !== undefined) rows.put(forms, { ...known, ...to.of(known) })
}

/** Counts at forms that there are: pages make up names as they like. */
const count = (event: EventOfForm, rows: Rows, of: (form: FormRow) => Partial<FormRow>): void => {
  const formId = formOf(event)
  if (formId !== null) change(event, rows, { formId, of })
}

/**
 * The settings of a workspace that `POST /forms/subscribe` reads: the feature, the origins, and what each form leads to; and how many signed up by each
 * form since it was made.
 */
export const formsProjection = defineProjection<WorkspaceFeaturesSet | FormOriginsSet | FormEvent | SignUpEvent>({
  name: 'forms',
  version: 2,
  tables: [settings, forms],
  personal: [],
  isPatient: ({ type }) => type === 'FormSubmitted' || type === 'SignUpConfirmed',
  reads: (event) => {
    const { workspaceId } = event.meta
    switch (event.type) {
      case 'WorkspaceFeaturesSet':
      case 'FormOriginsSet':
        return [row(settings, workspaceId)]
      case 'FormConfigured':
      case 'FormArchived':
      case 'FormRestored':
        return [row(forms, workspaceId, event.data.formId)]
      default: {
        const formId = formOf(event)
        return formId === null ? [] : [row(forms, workspaceId, formId)]
      }
    }
  },
  on: {
    WorkspaceFeaturesSet: ({ data: { features }, meta: { workspaceId } }, rows) => {
      const known = rows.get(settings, workspaceId)
      rows.put(settings, { workspace_id: workspaceId, origins: known?.origins ?? [], enabled: features.includes('embedded_forms') })
    },

    FormOriginsSet: ({ data: { origins }, meta: { workspaceId } }, rows) => {
      const known = rows.get(settings, workspaceId)
      rows.put(settings, { workspace_id: workspaceId, enabled: known?.enabled ?? false, origins })
    },

    FormConfigured: ({ data: { formId, listId, confirmation }, meta: { workspaceId } }, rows) => {
      const { archived, sign_ups, confirmed } = rows.get(forms, workspaceId, formId) ?? { archived: false, sign_ups: 0, confirmed: 0 }
      rows.put(forms, {
        ...{ workspace_id: workspaceId, form_id: formId, list_id: listId },
        ...{ template_id: confirmation?.templateId ?? null, sender_address_id: confirmation?.senderAddressId ?? null },
        ...{ archived, sign_ups, confirmed },
      })
    },

    FormArchived: (event, rows) => change(event, rows, { formId: event.data.formId, of: () => ({ archived: true }) }),
    FormRestored: (event, rows) => change(event, rows, { formId: event.data.formId, of: () => ({ archived: false }) }),
    FormSubmitted: (event, rows) => count(event, rows, ({ sign_ups }) => ({ sign_ups: sign_ups + 1 })),
    SignUpConfirmed: (event, rows) => count(event, rows, ({ confirmed }) => ({ confirmed: confirmed + 1 })),
  },
})
