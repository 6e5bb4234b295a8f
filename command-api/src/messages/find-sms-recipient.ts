import { normalizePhone } from '@tidings/addresses'
import type { SendSmsBody } from '@tidings/contracts'
import { Refused, type WorkspaceId } from '@tidings/domain'
import type { Dependencies } from '../dependencies.ts'
import { findContact, type MessageContact } from './find-contact.ts'

/**
 * The recipient of a send, before any check that it can be reached: the sender, the template and the credits come first (POST
 * /public/messages/sms, rule 2). `phone` of an unseen number is E.164, or null; `asStored`: it was sent in that form.
 */
export type SmsRecipient =
  | Readonly<{ type: 'contact'; contact: MessageContact }>
  | Readonly<{ type: 'unknown id' }>
  | Readonly<{ type: 'unseen'; phone: string | null; asStored: boolean }>

/** `contactId` wins over `to`. A number is looked up as it was sent: one in another form than the stored matches no contact (rule 4). */
export async function findSmsRecipient(
  deps: Dependencies,
  workspaceId: WorkspaceId,
  { contactId, to = '' }: SendSmsBody,
): Promise<SmsRecipient> {
  if (contactId !== undefined) {
    const contact = await findContact(deps, workspaceId, contactId)
    return contact === null ? { type: 'unknown id' } : { type: 'contact', contact }
  }
  const { country } = await deps.directory.workspace(workspaceId)
  const phone = normalizePhone(to, country)
  if (phone === null || phone !== to) return { type: 'unseen', phone, asStored: false }
  const known = await deps.directory.contactBy(workspaceId, { phone })
  return known ? { type: 'contact', contact: known } : { type: 'unseen', phone, asStored: true }
}

/** The number of a contact. Refuses `recipient_phone_missing`. */
export function phoneOf({ phone }: MessageContact): string {
  if (phone === null) throw new Refused('recipient_phone_missing')
  return phone
}
