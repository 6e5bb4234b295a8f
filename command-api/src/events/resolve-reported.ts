import type { CommandRunner } from '@tidings/commands'
import type { Directory } from '@tidings/directory'
import { type ContactId, contact, contactStream, type WorkspaceId } from '@tidings/domain'
import type { UniqueContacts } from '@tidings/unique-contacts'

/** Addresses in their stored form (`addressValues`). */
export type Reported = Readonly<{ email?: string; phone?: string }>

type Finding = Readonly<{ directory: Directory; commands: CommandRunner; uniqueContacts: UniqueContacts }>

/** The contact with the id, else the one that has the email, else the one that has the phone; null where there is none (G25). */
export async function findReported(
  deps: Finding,
  workspaceId: WorkspaceId,
  { contactId, ...reported }: Reported & Readonly<{ contactId?: ContactId }>,
): Promise<ContactId | null> {
  if (contactId !== undefined && (await isContact(deps, workspaceId, contactId))) return contactId
  const known = await deps.directory.contactBy(workspaceId, reported)
  if (known === null) return null
  // The directory may not have the contact with the email yet, which comes before the one with the phone.
  const { email } = reported
  if (email === undefined || known.email === email) return known.contactId
  return (await deps.uniqueContacts.ownerOf(workspaceId, 'email', email)) ?? known.contactId
}

/** Finds the contact in the directory, else in the log: the directory may not have a new contact yet. */
async function isContact({ directory, commands }: Finding, workspaceId: WorkspaceId, contactId: ContactId): Promise<boolean> {
  if ((await directory.contact(workspaceId, contactId)) !== null) return true
  const { state } = await commands.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
  return state.exists
}
