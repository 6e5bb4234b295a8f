import { isValidEmail, normalizeEmail } from '@tidings/addresses'
import type { SendEmailBody } from '@tidings/contracts'
import type { DirectoryContact } from '@tidings/directory'
import { type ContactState, contact, contactStream, Refused } from '@tidings/domain'
import { invalidRequest } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'

export type Recipient = Omit<DirectoryContact, 'emailSuppressions' | 'smsSuppressions'> & Readonly<{ email: string }>

/** `recipient` is null where the directory knows no contact with the address `email`. */
type Found = Readonly<{ recipient: Recipient }> | Readonly<{ recipient: null; email: string }>

/** The contact that a send is for: `contactId` wins over `to` (POST /public/messages/email). */
export async function findRecipient(deps: Dependencies, workspaceId: string, { contactId, to }: SendEmailBody): Promise<Found> {
  if (contactId !== undefined) return { recipient: await findById(deps, workspaceId, contactId) }
  const email = normalizeEmail(to ?? '')
  if (!isValidEmail(email)) throw invalidRequest('to must be an email')
  const known = await deps.directory.contactBy(workspaceId, { email })
  return known ? { recipient: withEmail(known) } : { recipient: null, email }
}

export function toRecipient({ contactId, state }: Readonly<{ contactId: string; state: ContactState }>): Recipient {
  const { email, phone, details } = state
  const { firstName, lastName, customProperties } = details
  return withEmail({ contactId, email, phone, firstName, lastName, customProperties })
}

/** From the directory, else from the log: the directory may not have a new contact yet. */
async function findById({ directory, commands }: Dependencies, workspaceId: string, contactId: string): Promise<Recipient> {
  const known = await directory.contact(workspaceId, contactId)
  if (known) return withEmail(known)
  const { state } = await commands.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
  if (!state.exists) throw new Refused('contact_not_found')
  return toRecipient({ contactId, state })
}

function withEmail(known: Omit<Recipient, 'email'> & Readonly<{ email: string | null }>): Recipient {
  if (known.email === null) throw new Refused('recipient_email_missing')
  return { ...known, email: known.email }
}
