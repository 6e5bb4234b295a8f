import { type AppendContext, type ContentLocation, contentInEvent, putContent } from '@tidings/codec'
import type { Draft, Execution } from '@tidings/commands'
import type { SendEmailBody } from '@tidings/contracts'
import {
  asMessageId,
  contactSubject,
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
import { namedBy } from './find-contact.ts'
import { type FoundRecipient, toRecipient } from './find-recipient.ts'
import { type PreparedEmail, prepareEmail, type Sending } from './prepare-email.ts'

/** `position` is the message's; `created`: the contact was created for it. */
type Accepted = Readonly<{ position: Position | null; created: boolean }>

/**
 * Accepts an email for its recipient. If the person was erased since the look-up, the id is unknown and the address is a stranger's.
 */
export async function acceptTo(deps: Accepting, sending: Omit<Sending, 'recipient'>, found: FoundRecipient): Promise<Accepted> {
  const { recipient } = found
  if (recipient === null) return await acceptFirstEmail(deps, { ...sending, email: found.email })
  const accepted = await unlessErased(acceptEmail(deps, { ...sending, recipient }))
  if (accepted !== null) return accepted
  if (sending.body.contactId !== undefined) throw new Refused('contact_not_found')
  return await acceptFirstEmail(deps, { ...sending, email: recipient.email })
}

/** Accepts an email to a contact. */
export async function acceptEmail(deps: Accepting, sending: Sending): Promise<Accepted> {
  const email = await prepareEmail(deps, sending)
  const { workspaceId } = sending.context
  const { content, ofTemplate } = email
  const location = await putContent(deps.contents, { workspaceId, subject: contactSubject(sending.recipient), content, ofTemplate })
  const { position } = await deps.commands.execute(acceptance(sending, email, location))
  return { position, created: false }
}

type FirstEmail = Readonly<{ context: AppendContext; body: SendEmailBody; ip: string; email: string }>

/** Accepts an email to an address without a contact: contact and message in one append where that can be, else one after the other. */
async function acceptFirstEmail(deps: Accepting, { context, body, ip, email }: FirstEmail): Promise<Accepted> {
  const prepared = await deps.uniqueContacts.prepareNew({ context, email, details: {}, source: 'send' })
  const draft = prepared.drafts && (await draftEmail(deps, { context, body, ip, recipient: toRecipient(prepared) }))
  const contact = await deps.uniqueContacts.commit(prepared, draft ? [draft] : [])
  const [appended] = contact.appended
  if (appended) return { position: appended.position, created: true }
  const { position } = await acceptEmail(deps, { context, body, ip, recipient: toRecipient(contact) })
  return { position, created: contact.created }
}

/**
 * The acceptance, if it can be in one append with its contact. Not with content that needs a row: a row is stored under a contact that
 * exists. Not when it is refused: the contact comes before the sender's checks, and stays (POST /public/messages/email).
 */
async function draftEmail(deps: Accepting, sending: Sending): Promise<Draft | null> {
  try {
    const email = await prepareEmail(deps, sending)
    const location = contentInEvent(email)
    return location && deps.commands.draft(acceptance(sending, email, location))
  } catch (error) {
    if (error instanceof Refused) return null
    throw error
  }
}

function acceptance(
  { context, ip, body, recipient }: Sending,
  { fromEmail, fromName, replyTo, templateId }: PreparedEmail,
  location: ContentLocation,
): Execution<MessageCommand, MessageEvent, MessageState> {
  const { workspaceId } = context
  const messageId = asMessageId(context.commandId)
  const { contactId, email: to } = recipient
  return {
    decider: message,
    stream: messageStream(workspaceId, messageId),
    command: {
      type: 'AcceptEmail',
      data: {
        messageId,
        contactId,
        to,
        fromEmail,
        fromName,
        replyTo,
        ...location,
        templateId,
        kind: 'transactional',
        ...namedBy(body),
        ip,
      },
    },
    context,
    isNew: true,
  }
}
