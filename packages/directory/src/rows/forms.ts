import { type FormId, type ListId, type TemplateId, workspaceDeclarations } from '@tidings/domain'
import { createReferenceCache, type ReferenceCache } from '@tidings/log-views'
import type { Pool } from 'pg'
import type { DirectoryForm, DirectoryForms } from '../directory.ts'
import { rowsAtCheckpoint } from './at-checkpoint.ts'
import { byWorkspace } from './by-workspace.ts'

type Form = Readonly<{ formId: FormId; listId: ListId; templateId: TemplateId | null; fromEmail: string | null; archived: boolean }>
type DirectoryFormsRow = Readonly<{ n: number; enabled: boolean | null; origins: readonly string[] | null; forms: readonly Form[] | null }>

/** A form whose sender address is gone asks for a confirmation that cannot be sent: it must not take effect at once instead. */
const toForm = ({ listId, templateId, fromEmail, archived }: Form): DirectoryForm => ({
  listId,
  archived,
  confirmation: templateId === null ? null : { templateId, fromEmail: fromEmail ?? '' },
})

/** The settings of the first form by its id, with a sender address if one has any. An archived form still says that the workspace asks: archiving lets no sign-up in unasked. */
const confirmationOf = (forms: readonly Form[]): DirectoryForm['confirmation'] => {
  const asking = forms
    .filter(({ templateId }) => templateId !== null)
    .toSorted((a, b) => Number(a.archived) - Number(b.archived) || (a.formId < b.formId ? -1 : 1))
  const form = asking.find(({ fromEmail }) => fromEmail !== null) ?? asking[0]
  return form === undefined ? null : toForm(form).confirmation
}

const toForms = ({ enabled, origins, forms }: DirectoryFormsRow): DirectoryForms => ({
  enabled: enabled ?? false,
  origins: origins ?? [],
  forms: new Map((forms ?? []).map((form) => [form.formId, toForm(form)])),
  confirmation: confirmationOf(forms ?? []),
})

/** Embedded forms by workspace id; every workspace has an entry. */
export function formsByWorkspace(pool: Pool): ReferenceCache<DirectoryForms> {
  return createReferenceCache({
    name: 'embedded forms',
    max: 5_000,
    invalidates: byWorkspace(workspaceDeclarations),
    load: rowsAtCheckpoint<DirectoryFormsRow, DirectoryForms>(pool, {
      name: 'directory forms',
      projections: ['workspaces', 'forms', 'sender_addresses'],
      values: (ids) => [ids],
      toEntry: toForms,
      select: `select keys.n::int as n, s.enabled, s.origins,
          (select json_agg(json_build_object('formId', f.form_id, 'listId', f.list_id, 'templateId', f.template_id, 'fromEmail', a.email,
            'archived', f.archived))
           from read.forms f left join read.sender_addresses a on a.workspace_id = f.workspace_id and a.id = f.sender_address_id
           where f.workspace_id = w.workspace_id) as forms
        from unnest($2::uuid[]) with ordinality keys(id, n)
        join read.workspaces w on w.workspace_id = keys.id
        left join read.form_settings s on s.workspace_id = w.workspace_id`,
    }),
  })
}
