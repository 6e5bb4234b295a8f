import { normalizeEmail } from '@tidings/addresses'
import type { AppendContext } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import type { AddMembersBody, RemoveMembersBody } from '@tidings/contracts'
import type { Directory } from '@tidings/directory'
import { type ContactId, contact, contactStream, type WorkspaceId } from '@tidings/domain'
import type { UniqueContacts } from '@tidings/unique-contacts'
import { contactIdBy } from '../profiles/find-contact-id.ts'

/** Contacts that a body names, each once. `someAreNew`: this call or another has created one of them a moment ago, at a place that is not known. */
export type NamedMembers = Readonly<{ contactIds: readonly ContactId[]; someAreNew: boolean }>

type ResolvedMember = Readonly<{ contactId: ContactId; isNew: boolean }>

type Deps = Readonly<{ commands: CommandRunner; uniqueContacts: UniqueContacts; directory: Pick<Directory, 'contact' | 'contactBy'> }>

const distinct = (emails: readonly string[]): readonly string[] => [...new Set(emails.map(normalizeEmail))]

/** Finds the contact in the directory, else in the log: the directory may not have a new contact yet. */
const find = async ({ directory, commands }: Deps, workspaceId: WorkspaceId, contactId: ContactId): Promise<readonly ResolvedMember[]> => {
  if ((await directory.contact(workspaceId, contactId)) !== null) return [{ contactId, isNew: false }]
  const { state } = await commands.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
  return state.exists ? [{ contactId, isNew: true }] : []
}

/** The contacts with the emails, created where there is none; unknown ids are left out (contract: Lists; G15). */
export async function membersToAdd(
  deps: Deps,
  context: AppendContext,
  { emails = [], contactIds = [] }: AddMembersBody,
): Promise<NamedMembers> {
  const { workspaceId, commandId } = context
  const byEmail = distinct(emails).map(async (email, n): Promise<ResolvedMember> => {
    const known = await deps.directory.contactBy(workspaceId, { email })
    if (known) return { contactId: known.contactId, isNew: false }
    // Each is a command of its own, with an id that a repeated request derives again.
    const own = { ...context, commandId: `${commandId}.email.${n}` }
    const { contactId } = await deps.uniqueContacts.resolveOrCreate({ context: own, email, details: {}, source: 'api' })
    return { contactId, isNew: true }
  })
  const byId = [...new Set(contactIds)].map((id) => find(deps, workspaceId, id))
  const found = [...(await Promise.all(byEmail)), ...(await Promise.all(byId)).flat()]
  return { contactIds: [...new Set(found.map(({ contactId }) => contactId))], someAreNew: found.some(({ isNew }) => isNew) }
}

/** The contacts with the emails; unknown emails are left out. */
export async function membersToRemove(
  deps: Deps,
  workspaceId: WorkspaceId,
  { email, emails = [], contactIds = [] }: RemoveMembersBody,
): Promise<NamedMembers> {
  const wanted = distinct(email === undefined ? emails : [email, ...emails])
  const found = await Promise.all(wanted.map((each) => contactIdBy(deps, workspaceId, each)))
  return { contactIds: [...new Set([...found.filter((id) => id !== null), ...contactIds])], someAreNew: false }
}
