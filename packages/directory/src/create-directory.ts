import { whenKnown } from '@tidings/async'
import { type CustomFieldKind, customFieldDeclarations, type WorkspaceId } from '@tidings/domain'
import { createReferenceCache, type ReferenceCache } from '@tidings/log-views'
import type { Pool } from 'pg'
import type { CustomFieldKinds, Directory, DirectoryWorkspace } from './directory.ts'
import { apiKeysByHash } from './rows/api-keys.ts'
import { keyOf, rowsAtCheckpoint } from './rows/at-checkpoint.ts'
import { byWorkspace } from './rows/by-workspace.ts'
import { contactsBy } from './rows/contacts.ts'
import { formsByWorkspace } from './rows/forms.ts'
import { templatesById } from './rows/templates.ts'
import { workspacesById } from './rows/workspaces.ts'
import { workspaceIdFrom } from './workspace-id.ts'

/** A workspace that a request is authenticated for, or that an event names, has no row: the read side has lost it. */
class WorkspaceMissing extends Error {
  override readonly name = 'WorkspaceMissing'
}

const NONE_DECLARED: CustomFieldKinds = new Map()

const required = (workspaceId: WorkspaceId, found: DirectoryWorkspace | null): DirectoryWorkspace => {
  if (found === null) throw new WorkspaceMissing(`workspace ${workspaceId} is not in the read models`)
  return found
}

/** `caches`: views for a follower of the log, and their counts for metrics. */
export type CachedDirectory = Directory & Readonly<{ caches: readonly ReferenceCache<object>[] }>

/** The directory over the read models. */
export function createDirectory(pool: Pool): CachedDirectory {
  const keys = apiKeysByHash(pool)
  const workspaces = workspacesById(pool)
  const forms = formsByWorkspace(pool)
  const fields = customFieldsByWorkspace(pool)
  const templates = templatesById(pool)
  const byId = contactsBy('id', pool)
  const byEmail = contactsBy('email', pool)
  const byPhone = contactsBy('phone', pool)
  return {
    findKey: keys.get,
    findWorkspace: (reference) => workspaces.get(workspaceIdFrom(reference)),
    workspace: (workspaceId) => {
      const found = workspaces.get(workspaceId)
      return found instanceof Promise ? found.then((row) => required(workspaceId, row)) : required(workspaceId, found)
    },
    forms: (reference) => forms.get(workspaceIdFrom(reference)),
    customFields: (workspaceId) => whenKnown(fields.get(workspaceId), (kinds) => kinds ?? NONE_DECLARED),
    template: (workspaceId, templateId) => templates.get(keyOf(workspaceId, templateId)),
    contact: (workspaceId, contactId) => byId.get(keyOf(workspaceId, contactId)),
    contactBy: async (workspaceId, { email, phone }) =>
      (email === undefined ? null : await byEmail.get(keyOf(workspaceId, email))) ??
      (phone === undefined ? null : await byPhone.get(keyOf(workspaceId, phone))),
    caches: [keys, workspaces, forms, fields, templates, byId, byEmail, byPhone],
  }
}

type CustomFieldKindsRow = Readonly<{ n: number; kinds: Readonly<Record<string, CustomFieldKind>> | null }>

/** What kind each declared property is of, by workspace id; every workspace has an entry. */
function customFieldsByWorkspace(pool: Pool): ReferenceCache<CustomFieldKinds> {
  return createReferenceCache({
    name: 'custom fields',
    max: 5_000,
    invalidates: byWorkspace(customFieldDeclarations),
    load: rowsAtCheckpoint<CustomFieldKindsRow, CustomFieldKinds>(pool, {
      name: 'directory custom fields',
      projections: ['workspaces', 'custom_fields'],
      values: (ids) => [ids],
      toEntry: ({ kinds }) => new Map(Object.entries(kinds ?? {})),
      select: `select keys.n::int as n,
          (select json_object_agg(f.key, f.kind) from read.custom_fields f where f.workspace_id = w.workspace_id) as kinds
        from unnest($2::uuid[]) with ordinality keys(id, n)
        join read.workspaces w on w.workspace_id = keys.id`,
    }),
  })
}
