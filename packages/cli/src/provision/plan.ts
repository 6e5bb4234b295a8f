import type { ConfigureList, ConfigureTemplate, WorkspaceCommand } from '@tidings/domain'
import type { WorkspaceFile } from '../workspace-file/schema.ts'
import { recordIdOf } from './ids.ts'
import { templateData } from './template-data.ts'

/** One command of a workspace file, and the natural key that people know the record by. */
export type ConfigureCommand = Readonly<{ what: string; command: WorkspaceCommand }>

/** Creation first: where the workspace exists it is already so, and the settings follow. */
export const settingsCommands = (workspaceId: string, file: WorkspaceFile): readonly ConfigureCommand[] => {
  const { slug, name, plan = 'free' } = file.workspace
  const settings = { name, plan, ...(file.country === undefined ? {} : { country: file.country }) }
  return [
    { what: slug, command: { type: 'CreateWorkspace', data: { workspaceId, slug, country: 'IL', tracking: false, ...settings } } },
    { what: slug, command: { type: 'ChangeWorkspaceSettings', data: settings } },
  ]
}

/** Domains first, so that no address is ever verified under a domain that is not there. */
export const senderCommands = (workspaceId: string, file: WorkspaceFile): readonly ConfigureCommand[] => [
  ...(file.senderDomains ?? []).map(({ domain, verified = false, blocklisted = false }): ConfigureCommand => {
    const data = { domain: domain.trim().toLowerCase(), verified, blocklisted }
    return { what: data.domain, command: { type: 'ConfigureSenderDomain', data } }
  }),
  ...(file.senderAddresses ?? []).map(({ email, name = null, verified = false }): ConfigureCommand => {
    const address = email.trim().toLowerCase()
    const data = {
      addressId: recordIdOf(workspaceId, 'sender', address),
      email: address,
      name,
      status: verified ? ('verified' as const) : ('pending' as const),
    }
    return { what: address, command: { type: 'ConfigureSenderAddress', data } }
  }),
]

export const senderAddressIds = (workspaceId: string, file: WorkspaceFile): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (file.senderAddresses ?? []).map(({ email }) => [email, recordIdOf(workspaceId, 'sender', email.trim().toLowerCase())]),
  )

export const templateCommands = (workspaceId: string, file: WorkspaceFile): readonly ConfigureTemplate[] =>
  (file.templates ?? []).map((wanted) => ({
    type: 'ConfigureTemplate',
    data: templateData(recordIdOf(workspaceId, 'template', wanted.name), wanted),
  }))

export const listCommands = (workspaceId: string, file: WorkspaceFile): readonly ConfigureList[] =>
  (file.lists ?? []).map(({ name, type }) => ({
    type: 'ConfigureList',
    data: { listId: recordIdOf(workspaceId, 'list', name), name, listType: type },
  }))
