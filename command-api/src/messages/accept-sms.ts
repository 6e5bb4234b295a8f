import type { Execution } from '@tidings/commands'
import {
  asMessageId,
  type ContactId,
  type MessageCommand,
  type MessageEvent,
  type MessageState,
  message,
  messageStream,
  Refused,
} from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { unlessErased } from '../unless-erased.ts'
import type { Accepting } from './accepting.ts'
import { type MessageContact, namedBy, toMessageContact } from './find-contact.ts'
import { phoneOf, type SmsRecipient } from './find-sms-recipient.ts'
import { type PreparedSms, prepareSms, type SmsSending } from './prepare-sms.ts'

/** `position` is the message's; `created`: the contact was created for it. */
type Accepted = Readonly<{ position: Position | null; created: boolean }>

/**
 * Accepts a text message. The refusals are in the contract's order: sender, template, credits, recipient. If the person was erased
 * since the look-up, the id is unknown and the number is a stranger's.
 */
export async function acceptSms(deps: Accepting, sending: SmsSending, recipient: SmsRecipient): Promise<Accepted> {
  if (recipient.type === 'contact') {
    const { contact } = recipient
    const accepted = await unlessErased(acceptToContact(deps, sending, contact))
    return accepted ?? (await acceptSms(deps, sending, withoutContact(sending, contact)))
  }
  const sms = await prepareSms(deps, sending, null)
  if (recipient.type === 'unknown id') throw new Refused('contact_not_found')
  const { phone, asStored } = recipient
  if (phone === null) throw new Refused('invalid_phone')
  return await acceptFirst(deps, sending, { sms, phone, asStored })
}

const withoutContact = ({ body }: SmsSending, { phone }: MessageContact): SmsRecipient =>
  body.contactId === undefined ? { type: 'unseen', phone, asStored: true } : { type: 'unknown id' }

async function acceptToContact(deps: Accepting, sending: SmsSending, contact: MessageContact): Promise<Accepted> {
  const sms = await prepareSms(deps, sending, contact)
  const to = { contactId: contact.contactId, phone: phoneOf(contact) }
  const { position } = await deps.commands.execute(acceptance(sending, sms, to))
  return { position, created: false }
}

type FirstSms = Readonly<{ sms: PreparedSms; phone: string; asStored: boolean }>

/**
 * To a number that no contact has: contact and message in one append where that can be, else one after the other. A number that was not sent in
 * its stored form, and that a contact has after all, is refused: `contact_phone_taken` (rule 4).
 */
async function acceptFirst(deps: Accepting, sending: SmsSending, { sms, phone, asStored }: FirstSms): Promise<Accepted> {
  const { uniqueContacts, commands } = deps
  const prepared = await uniqueContacts.prepareNew({ context: sending.context, phone, details: {}, source: 'send' })
  const draft = prepared.drafts && commands.draft(acceptance(sending, sms, { contactId: prepared.contactId, phone }))
  const contact = await uniqueContacts[asStored ? 'commit' : 'commitNew'](prepared, draft ? [draft] : [])
  const [appended] = contact.appended
  if (appended) return { position: appended.position, created: true }
  // Another request created it, or this one knew it not yet: its fields belong into the text.
  if (!contact.created) return await acceptToContact(deps, sending, toMessageContact(contact))
  const { position } = await commands.execute(acceptance(sending, sms, { contactId: contact.contactId, phone }))
  return { position, created: true }
}

function acceptance(
  { context, ip, body }: SmsSending,
  sms: PreparedSms,
  { contactId, phone }: Readonly<{ contactId: ContactId; phone: string }>,
): Execution<MessageCommand, MessageEvent, MessageState> {
  const { workspaceId } = context
  const messageId = asMessageId(context.commandId)
  return {
    decider: message,
    stream: messageStream(workspaceId, messageId),
    command: { type: 'AcceptSms', data: { messageId, contactId, to: phone, ...sms, kind: 'transactional', ...namedBy(body), ip } },
    context,
    isNew: true,
  }
}
