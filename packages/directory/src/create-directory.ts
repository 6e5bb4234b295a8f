import type { LogFollower, ReferenceCache } from '@tidings/commands'
import type { Pool } from 'pg'
import type { Directory, DirectoryWorkspace } from './directory.ts'
import { apiKeysByHash } from './rows/api-keys.ts'
import { keyOf } from './rows/at-checkpoint.ts'
import { contactsBy } from './rows/contacts.ts'
import { templatesById } from './rows/templates.ts'
import { workspacesById } from './rows/workspaces.ts'
import { workspaceIdFrom } from './workspace-id.ts'

/** A workspace that a request was let in for, or an event names, and that has no row: the read side has lost it. */
export class WorkspaceMissing extends Error {
  override readonly name = 'WorkspaceMissing'
}

const required = (workspaceId: string, found: DirectoryWorkspace | null): DirectoryWorkspace => {
  if (found === null) throw new WorkspaceMissing(`workspace ${workspaceId} is not in the read models`)
  return found
}

export type DirectoryOptions = Readonly<{ pool: Pool; follower: LogFollower }>

/** The directory over the read models; start the follower after it is created. `caches` is for metrics. */
export const createDirectory = (options: DirectoryOptions): Directory & Readonly<{ caches: readonly ReferenceCache<object>[] }> => {
  const keys = apiKeysByHash(options)
  const workspaces = workspacesById(options)
  const templates = templatesById(options)
  const byId = contactsBy('id', options)
  const byEmail = contactsBy('email', options)
  const byPhone = contactsBy('phone', options)
  return {
    findKey: keys.get,
    findWorkspace: (reference) => workspaces.get(workspaceIdFrom(reference)),
    workspace: (workspaceId) => {
      const found = workspaces.get(workspaceId)
      return found instanceof Promise ? found.then((row) => required(workspaceId, row)) : required(workspaceId, found)
    },
    template: (workspaceId, templateId) => templates.get(keyOf(workspaceId, templateId)),
    contact: (workspaceId, contactId) => byId.get(keyOf(workspaceId, contactId)),
    contactBy: async (workspaceId, { email, phone }) =>
      (email === undefined ? null : await byEmail.get(keyOf(workspaceId, email))) ??
      (phone === undefined ? null : await byPhone.get(keyOf(workspaceId, phone))),
    caches: [keys, workspaces, templates, byId, byEmail, byPhone],
  }
}
