import type { AppendContext } from '@tidings/codec'
import { isValidEmail, normalizeEmail } from '@tidings/contact-points'
import type { SendEmailBody } from '@tidings/contracts'
import type { DirectoryContact } from '@tidings/directory'
import { type ContactState, contact, contactStream, Refused } from '@tidings/domain'
import { invalidRequest } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'

export type Recipient = Omit<DirectoryContact, 'emailSuppressions' | 'smsSuppressions'> & Readonly<{ email: string; created: boolean }>

const withEmail = (known: Omit<Recipient, 'email' | 'created'> & Readonly<{ email: string | null }>, created: boolean): Recipient => {
  if (known.email === null) throw new Refused('recipient_email_missing')
  return { ...known, email: known.email, created }
}

/** The directory first; that somebody is not there is only believed of the log. */
const byId = async ({ directory, commands }: Dependencies, workspaceId: string, contactId: string): Promise<Recipient> => {
  const known = await directory.contact(workspaceId, contactId)
  if (known) return withEmail(known, false)
  const { state } = await commands.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
  if (!state.exists) throw new Refused('contact_not_found')
  return ofState(contactId, state, false)
}

const ofState = (contactId: string, { email, phone, details }: ContactState, created: boolean): Recipient => {
  const { firstName, lastName, customProperties } = details
  return withEmail({ contactId, email, phone, firstName, lastName, customProperties }, created)
}

/** The contact a send is for: `contactId` wins over `to`; an address that nobody has makes a contact (contract, POST /public/messages/email). */
export const resolveRecipient = async (
  deps: Dependencies,
  context: AppendContext,
  { contactId, to }: SendEmailBody,
): Promise<Recipient> => {
  if (contactId !== undefined) return byId(deps, context.workspaceId, contactId)
  const email = normalizeEmail(to ?? '')
  if (!isValidEmail(email)) throw invalidRequest('to must be an email')
  const known = await deps.directory.contactBy(context.workspaceId, { email })
  if (known) return withEmail(known, false)
  const { contactId: id, created, state } = await deps.contactPoints.resolveOrCreate({ context, email, details: {}, source: 'send' })
  return ofState(id, state, created)
}
