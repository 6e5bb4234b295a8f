import { Refused } from '@tidings/domain'
import type { Dependencies } from '../dependencies.ts'

type Finding = Pick<Dependencies, 'directory' | 'uniqueContacts'>

/** Whose address it is, null for nobody's. The directory answers at once where it can; that nobody has it is only believed of the log. */
export const contactIdBy = async ({ directory, uniqueContacts }: Finding, workspaceId: string, email: string): Promise<string | null> => {
  const known = await directory.contactBy(workspaceId, { email })
  return known?.contactId ?? (await uniqueContacts.ownerOf(workspaceId, 'email', email))
}

/** The same; throws `Refused('profile_not_found')` for nobody's. */
export const findContactId = async (deps: Finding, workspaceId: string, { email }: Readonly<{ email: string }>): Promise<string> => {
  const contactId = await contactIdBy(deps, workspaceId, email)
  if (contactId === null) throw new Refused('profile_not_found')
  return contactId
}
