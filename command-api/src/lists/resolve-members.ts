import { normalizeEmail } from '@tidings/addresses'
import type { AppendContext } from '@tidings/codec'
import type { AddMembersBody, RemoveMembersBody } from '@tidings/contracts'
import type { Directory } from '@tidings/directory'
import { contact, contactStream } from '@tidings/domain'
import { latestOf, type Position } from '@tidings/event-store'
import type { Dependencies } from '../dependencies.ts'
import { contactIdBy } from '../profiles/find-contact-id.ts'

/** Contacts that a body names, each once. `createdAt`: of the last that was created for it, null where none was. */
export type Named = Readonly<{ contactIds: readonly string[]; createdAt: Position | null }>

type Deps = Pick<Dependencies, 'commands' | 'uniqueContacts'> & Readonly<{ directory: Pick<Directory, 'contact' | 'contactBy'> }>

const distinct = (emails: readonly string[]): readonly string[] => [...new Set(emails.map(normalizeEmail))]

/** From the directory, else from the log: the directory may not have a new contact yet. */
const isKnown = async ({ directory, commands }: Deps, workspaceId: string, contactId: string): Promise<boolean> => {
  if ((await directory.contact(workspaceId, contactId)) !== null) return true
  const { state } = await commands.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
  return state.exists
}

/** The contacts with the emails, created where there is none; unknown ids are left out (contract: Lists; G15). */
export async function membersToAdd(deps: Deps, context: AppendContext, { emails = [], contactIds = [] }: AddMembersBody): Promise<Named> {
  const { workspaceId, commandId } = context
  const byEmail = distinct(emails).map(async (email, n) => {
    const known = await deps.directory.contactBy(workspaceId, { email })
    if (known) return { contactId: known.contactId, created: false, position: null }
    // Each is a command of its own, with an id that a repeated request derives again.
    const own = { ...context, commandId: `${commandId}.email.${n}` }
    return deps.uniqueContacts.resolveOrCreate({ context: own, email, details: {}, source: 'api' })
  })
  const byId = [...new Set(contactIds)].map(async (id) => ((await isKnown(deps, workspaceId, id)) ? [id] : []))
  const found = await Promise.all(byEmail)
  const ids = [...found.map(({ contactId }) => contactId), ...(await Promise.all(byId)).flat()]
  const createdAt = latestOf(found.map(({ created, position }) => (created ? position : null)))
  return { contactIds: [...new Set(ids)], createdAt }
}

/** The contacts with the emails; unknown emails are left out. */
export async function membersToRemove(
  deps: Deps,
  workspaceId: string,
  { email, emails = [], contactIds = [] }: RemoveMembersBody,
): Promise<Named> {
  const wanted = distinct(email === undefined ? emails : [email, ...emails])
  const found = await Promise.all(wanted.map((each) => contactIdBy(deps, workspaceId, each)))
  return { contactIds: [...new Set([...found.filter((id) => id !== null), ...contactIds])], createdAt: null }
}
