import type { AppendContext } from '@tidings/codec'
import type { Draft } from '@tidings/commands'
import { isValidEmail, normalizeEmail } from '@tidings/contact-points'
import type { SendEmailBody } from '@tidings/contracts'
import type { DirectoryContact } from '@tidings/directory'
import { type ContactState, contact, contactStream, Refused } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { invalidRequest } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'

export type Recipient = Omit<DirectoryContact, 'emailSuppressions' | 'smsSuppressions'> & Readonly<{ email: string }>

/** `along`: where the first message of a new contact stands, if it was written with the contact. */
export type Resolved = Recipient & Readonly<{ created: boolean; along?: Position }>

type Known = Omit<Recipient, 'email'> & Readonly<{ email: string | null }>

const withEmail = (known: Known): Recipient => {
  if (known.email === null) throw new Refused('recipient_email_missing')
  return { ...known, email: known.email }
}

const ofState = (contactId: string, { email, phone, details }: ContactState): Recipient => {
  const { firstName, lastName, customProperties } = details
  return withEmail({ contactId, email, phone, firstName, lastName, customProperties })
}

/** The directory first; that somebody is not there is only believed of the log. */
const byId = async ({ directory, commands }: Dependencies, workspaceId: string, contactId: string): Promise<Resolved> => {
  const known = await directory.contact(workspaceId, contactId)
  if (known) return { ...withEmail(known), created: false }
  const { state } = await commands.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
  if (!state.exists) throw new Refused('contact_not_found')
  return { ...ofState(contactId, state), created: false }
}

/** `along` drafts the message to somebody who is about to be created. */
type Sending = Readonly<{ body: SendEmailBody; along: (newcomer: Recipient) => Promise<Draft | null> }>

/** The contact a send is for: `contactId` wins over `to`; an address that nobody has makes a contact (contract, POST /public/messages/email). */
export const resolveRecipient = async (
  deps: Dependencies,
  context: AppendContext,
  { body: { contactId, to }, along }: Sending,
): Promise<Resolved> => {
  if (contactId !== undefined) return byId(deps, context.workspaceId, contactId)
  const email = normalizeEmail(to ?? '')
  if (!isValidEmail(email)) throw invalidRequest('to must be an email')
  const known = await deps.directory.contactBy(context.workspaceId, { email })
  if (known) return { ...withEmail(known), created: false }
  const resolved = await deps.contactPoints.resolveOrCreate({ context, email, details: {}, source: 'send' }, (newcomer) =>
    along(ofState(newcomer.contactId, newcomer.state)),
  )
  const { created } = resolved
  return { ...ofState(resolved.contactId, resolved.state), created, ...(resolved.along && { along: resolved.along }) }
}
