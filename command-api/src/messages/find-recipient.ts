import { isValidEmail, normalizeEmail } from '@tidings/addresses'
import type { SendEmailBody } from '@tidings/contracts'
import { Refused, type WorkspaceId } from '@tidings/domain'
import { invalidRequest } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { findContact, type MessageContact, toMessageContact } from './find-contact.ts'

export type Recipient = MessageContact & Readonly<{ email: string }>

/** `recipient` is null where the directory knows no contact with the address `email`. */
export type FoundRecipient = Readonly<{ recipient: Recipient }> | Readonly<{ recipient: null; email: string }>

/** The contact that a send is for: `contactId` wins over `to` (POST /public/messages/email). */
export async function findRecipient(
  deps: Dependencies,
  workspaceId: WorkspaceId,
  { contactId, to }: SendEmailBody,
): Promise<FoundRecipient> {
  if (contactId !== undefined) {
    const contact = await findContact(deps, workspaceId, contactId)
    if (contact === null) throw new Refused('contact_not_found')
    return { recipient: withEmail(contact) }
  }
  const email = normalizeEmail(to ?? '')
  if (!isValidEmail(email)) throw invalidRequest('to must be an email')
  const known = await deps.directory.contactBy(workspaceId, { email })
  return known ? { recipient: withEmail(known) } : { recipient: null, email }
}

export function toRecipient(contact: Parameters<typeof toMessageContact>[0]): Recipient {
  return withEmail(toMessageContact(contact))
}

function withEmail(known: MessageContact): Recipient {
  if (known.email === null) throw new Refused('recipient_email_missing')
  return { ...known, email: known.email }
}
