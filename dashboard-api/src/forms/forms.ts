import type { ListedForm, ShownForm } from '@tidings/contracts'
import {
  asFormId,
  type FormConfirmation,
  type FormId,
  isFormLabel,
  type ListId,
  ownValue,
  type WorkspaceEvent,
  type WorkspaceId,
  type WorkspaceState,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { lastChange } from '../editing/last-change.ts'
import { type Names, namesOf } from '../names.ts'

type OfForm = Readonly<{ workspaceId: WorkspaceId; formId: FormId }>
export type FormRecord = Readonly<{ formId: FormId; listId: ListId; confirmation: FormConfirmation | null; archived: boolean }>
export type FormCounts = ReadonlyMap<string, NonNullable<ListedForm['counts']>>

/** An operator's workspace file may have more. */
export const MAX_FORMS = 200

export function formIn({ forms }: WorkspaceState, formId: FormId): FormRecord | null {
  const form = ownValue(forms, formId)
  return form === undefined ? null : { formId, ...form }
}

/** Whether an event of the workspace changes this form. */
export function isOfForm(event: WorkspaceEvent, formId: FormId): event is Extract<WorkspaceEvent, { data: { formId: FormId } }> {
  return 'formId' in event.data && event.data.formId === formId
}

/** All forms are in the workspace's own stream: the record is what it says of one. */
export function editableForm({ workspaceId, formId }: OfForm) {
  return {
    decider: workspace,
    stream: workspaceStream(workspaceId),
    recordIn: (state: WorkspaceState) => formIn(state, formId),
    changes: (event: WorkspaceEvent) => isOfForm(event, formId),
    notFound: 'form_not_found',
  } as const
}

/** Whether pages may use the forms, and which. */
export function editableFormSettings(workspaceId: WorkspaceId) {
  return {
    decider: workspace,
    stream: workspaceStream(workspaceId),
    recordIn: ({ exists, features, formOrigins }: WorkspaceState) =>
      exists ? { enabled: features.includes('embedded_forms'), origins: formOrigins } : null,
    changes: ({ type }: WorkspaceEvent) => type === 'WorkspaceFeaturesSet' || type === 'FormOriginsSet' || type === 'WorkspaceCreated',
    notFound: 'workspace_not_found',
  } as const
}

const NONE = { signUps: 0, confirmed: 0 }

export function listedForm({ formId, listId, confirmation, archived }: FormRecord, names: Names, counts: FormCounts): ListedForm {
  return {
    id: formId,
    list: { id: listId, name: names.get(listId) ?? null },
    confirms: confirmation !== null,
    archived,
    counts: isFormLabel(formId) ? (counts.get(formId) ?? NONE) : null,
  }
}

/** By the read models: one row a form, by the key. */
export async function countsOf(
  { db }: Pick<DashboardDependencies, 'db'>,
  workspaceId: WorkspaceId,
  formIds: readonly FormId[],
): Promise<FormCounts> {
  const own = forWorkspace(db, workspaceId).forms().select(['form_id', 'sign_ups', 'confirmed'])
  const rows = formIds.length === 0 ? [] : await own.where('form_id', 'in', formIds).execute()
  return new Map(rows.map(({ form_id, sign_ups: signUps, confirmed }) => [form_id, { signUps, confirmed }]))
}

/** The form as of the log. */
export async function shownForm(
  deps: Pick<DashboardDependencies, 'commands' | 'db' | 'log'>,
  { workspaceId, id }: AskedForm,
): Promise<ShownForm> {
  const formId = asFormId(id)
  const editable = editableForm({ workspaceId, formId })
  const { record, etag, state } = await readRecord(deps, workspaceId, editable)
  const { listId, confirmation } = record
  const [names, counts, change] = await Promise.all([
    namesOf(forWorkspace(deps.db, workspaceId), { lists: [listId], templates: [confirmation?.templateId ?? null] }),
    countsOf(deps, workspaceId, [formId]),
    lastChange(deps, workspaceId, editable),
  ])
  return {
    ...listedForm(record, names, counts),
    confirmation: confirmation && {
      template: { id: confirmation.templateId, name: names.get(confirmation.templateId) ?? null },
      from: ownValue(state.senderAddresses, confirmation.senderAddressId)?.email ?? '',
    },
    ...{ changedAt: change?.at ?? '', changedBy: change?.by ?? '', etag },
  }
}

export type AskedForm = Readonly<{ workspaceId: WorkspaceId; id: string }>
