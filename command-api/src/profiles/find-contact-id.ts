import type { Directory } from '@tidings/directory'
import { type ContactId, Refused, type WorkspaceId } from '@tidings/domain'
import type { UniqueContacts } from '@tidings/unique-contacts'

type Finding = Readonly<{ uniqueContacts: UniqueContacts; directory: Pick<Directory, 'contactBy'> }>

/** The contact that has the address, or null: from the directory, else from the log, as the directory may not have a new contact yet. */
export async function contactIdBy(
  { directory, uniqueContacts }: Finding,
  workspaceId: WorkspaceId,
  email: string,
): Promise<ContactId | null> {
  const known = await directory.contactBy(workspaceId, { email })
  return known?.contactId ?? (await uniqueContacts.ownerOf(workspaceId, 'email', email))
}

/** The same; throws `Refused('profile_not_found')` instead of null. */
export async function findContactId(deps: Finding, workspaceId: WorkspaceId, { email }: Readonly<{ email: string }>): Promise<ContactId> {
  const contactId = await contactIdBy(deps, workspaceId, email)
  if (contactId === null) throw new Refused('profile_not_found')
  return contactId
}
