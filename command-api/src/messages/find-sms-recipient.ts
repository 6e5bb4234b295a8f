import { normalizePhone } from '@tidings/addresses'
import type { SendSmsBody } from '@tidings/contracts'
import { type ContactState, contact, contactStream, Refused } from '@tidings/domain'
import type { Dependencies } from '../dependencies.ts'
import type { Recipient } from './find-recipient.ts'

/** A contact that a text message may go to. */
export type SmsContact = Omit<Recipient, 'email' | 'phone'> & Readonly<{ email: string | null; phone: string | null }>

/**
 * Who a send is for, before it is judged whether they can get it: the sender, the template and the credits come first (POST
 * /public/messages/sms, rule 2). `phone` of an unseen number is E.164, or null; `asStored`: it was sent in that form.
 */
export type SmsRecipient =
  | Readonly<{ type: 'contact'; contact: SmsContact }>
  | Readonly<{ type: 'unknown id' }>
  | Readonly<{ type: 'unseen'; phone: string | null; asStored: boolean }>

/** `contactId` wins over `to`. A number is looked up as it was sent: one in another form than the stored matches no contact (rule 4). */
export async function findSmsRecipient(
  deps: Dependencies,
  workspaceId: string,
  { contactId, to = '' }: SendSmsBody,
): Promise<SmsRecipient> {
  if (contactId !== undefined) return await findById(deps, workspaceId, contactId)
  const { country } = await deps.directory.workspace(workspaceId)
  const phone = normalizePhone(to, country)
  if (phone === null || phone !== to) return { type: 'unseen', phone, asStored: false }
  const known = await deps.directory.contactBy(workspaceId, { phone })
  return known ? { type: 'contact', contact: known } : { type: 'unseen', phone, asStored: true }
}

/** From the directory, else from the log: the directory may not have a new contact yet. */
async function findById({ directory, commands }: Dependencies, workspaceId: string, contactId: string): Promise<SmsRecipient> {
  const known = await directory.contact(workspaceId, contactId)
  if (known) return { type: 'contact', contact: known }
  const { state } = await commands.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
  return state.exists ? { type: 'contact', contact: toSmsContact({ contactId, state }) } : { type: 'unknown id' }
}

export function toSmsContact({ contactId, state }: Readonly<{ contactId: string; state: ContactState }>): SmsContact {
  const { email, phone, details } = state
  const { firstName, lastName, customProperties } = details
  return { contactId, email, phone, firstName, lastName, customProperties }
}

/** The number of a contact. Refuses `recipient_phone_missing`. */
export function phoneOf({ phone }: SmsContact): string {
  if (phone === null) throw new Refused('recipient_phone_missing')
  return phone
}
