import { Refused } from '@tidings/domain'
import type { Dependencies } from '../dependencies.ts'

/** Whose address it is. The directory answers at once where it can; that nobody has it is only believed of the log. */
export const findContactId = async (
  { directory, contactPoints }: Pick<Dependencies, 'directory' | 'contactPoints'>,
  workspaceId: string,
  { email }: Readonly<{ email: string }>,
): Promise<string> => {
  const known = await directory.contactBy(workspaceId, { email })
  const contactId = known?.contactId ?? (await contactPoints.ownerOf(workspaceId, 'email', email))
  if (contactId === null) throw new Refused('profile_not_found')
  return contactId
}
