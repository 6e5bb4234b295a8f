import type { CommandRunner } from '@tidings/commands'
import type { DirectoryTemplate, DirectoryWorkspace } from '@tidings/directory'
import type { ContactId, EmailContent, MessageId, TemplateId, WorkspaceId } from '@tidings/domain'
import type { UniqueContacts } from '@tidings/unique-contacts'

/** The senders of a workspace, as `DirectoryWorkspace` has them. */
export type Senders = Readonly<{
  senderDomains: DirectoryWorkspace['senderDomains']
  senderAddresses: DirectoryWorkspace['senderAddresses']
  smsSenders: DirectoryWorkspace['smsSenders']
}>

/** The dependencies of the routes that accept messages to contacts. */
export type Accepting = Readonly<{
  commands: CommandRunner
  uniqueContacts: UniqueContacts
  directory: Readonly<{
    workspace: (workspaceId: WorkspaceId) => Promise<Senders> | Senders
    template: (workspaceId: WorkspaceId, templateId: TemplateId) => Promise<DirectoryTemplate | null> | DirectoryTemplate | null
  }>
  contents: Readonly<{ put: (workspaceId: WorkspaceId, subject: string, content: EmailContent) => Promise<string> }>
  /** The credits that a workspace can spend on text messages: as far as this process knows, and as the log says now. */
  credits: Readonly<{
    available: (workspaceId: WorkspaceId) => number | Promise<number>
    availableNow: (workspaceId: WorkspaceId) => Promise<number>
  }>
  links: Readonly<{ unsubscribeUrl: (of: Readonly<{ workspaceId: WorkspaceId; messageId: MessageId; contactId: ContactId }>) => string }>
}>
