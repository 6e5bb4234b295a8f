import type { DirectoryContact } from '@tidings/directory'
import { type ContactId, type ContactState, contact, contactStream, type WorkspaceId } from '@tidings/domain'

/** A contact as a send needs it. */
export type MessageContact = Omit<DirectoryContact, 'emailSuppressions' | 'smsSuppressions'>

type Finding = Readonly<{
  directory: Readonly<{
    contact: (workspaceId: WorkspaceId, contactId: ContactId) => Promise<MessageContact | null> | MessageContact | null
  }>
  commands: Readonly<{
    load: (
      asked: Readonly<{ decider: typeof contact; stream: string; workspaceId: WorkspaceId }>,
    ) => Promise<Readonly<{ state: ContactState }>>
  }>
}>

/** The contact of that id, from the directory, else from the log: the directory may not have a new contact yet. Null where neither has it. */
export async function findContact(
  { directory, commands }: Finding,
  workspaceId: WorkspaceId,
  contactId: ContactId,
): Promise<MessageContact | null> {
  const known = await directory.contact(workspaceId, contactId)
  if (known) return known
  const { state } = await commands.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
  return state.exists ? toMessageContact({ contactId, state }) : null
}

export function toMessageContact({ contactId, state }: Readonly<{ contactId: ContactId; state: ContactState }>): MessageContact {
  const { email, phone, details } = state
  const { firstName, lastName, customProperties } = details
  return { contactId, email, phone, firstName, lastName, customProperties }
}

/** Whether a request names its recipient by id: then it goes to the address that the contact has when it is handed over (M45). */
export function namedBy({ contactId }: Readonly<{ contactId?: ContactId | undefined }>): Readonly<{ recipient?: 'contact' }> {
  return contactId === undefined ? {} : { recipient: 'contact' }
}
