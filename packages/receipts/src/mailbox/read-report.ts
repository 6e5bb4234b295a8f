import { createHash } from 'node:crypto'
import type { MessageId } from '@tidings/domain'
import PostalMime, { type Attachment, type Email } from 'postal-mime'
import { boundedPart, boundedShape, mayBeOurs } from './bounded-shape.ts'
import { type Reported, readDeliveryStatus } from './delivery-status.ts'
import { type Fields, fieldBlocks, fieldsOf } from './header-fields.ts'

/**
 * What a mail of the mailbox is: a report about a message, a reader who unsubscribes by it (M53), or why it changes nothing. `stranger`: it names no message of ours, or its tag is
 * wrong. `auto_reply`: a program wrote it, and reports nothing. `no_news`: a report that changes no status. `unreadable`: it was sent to a
 * message of ours and cannot be understood.
 */
export type MailReading =
  | Readonly<{ kind: 'report'; messageId: MessageId; reported: NonNullable<Reported> }>
  /** `mailId`: the same for every copy of the mail, whatever way it took. */
  | Readonly<{ kind: 'unsubscribe'; messageId: MessageId; mailId: string }>
  | Readonly<{ kind: 'stranger' | 'auto_reply' | 'no_news' | 'unreadable' }>

/** Headers in which mail servers write the true recipient. */
const RECIPIENT_HEADERS = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'original-recipient', 'to', 'cc']
const DELIVERY_STATUS = ['message/delivery-status', 'message/global-delivery-status']
const FEEDBACK = 'message/feedback-report'
const RETURNED = ['message/rfc822', 'message/global', 'text/rfc822-headers', 'message/global-headers']

/** Kinds of feedback that are a complaint of the reader (RFC 5965 §7.3); `not-spam`, `virus`, `auth-failure` and what is new are not. */
const COMPLAINTS = ['abuse', 'fraud']

/** Reads the beginning of a mail, however it is made. */
export async function readReport(
  raw: Buffer,
  returnPaths: Readonly<{
    messageIn: (texts: readonly string[]) => MessageId | null
    unsubscribedIn: (texts: readonly string[]) => MessageId | null
  }>,
): Promise<MailReading> {
  const beginning = boundedShape(raw)
  const isOurs = (text: string): boolean => returnPaths.messageIn([text]) !== null || returnPaths.unsubscribedIn([text]) !== null
  if (beginning === null || !mayBeOurs(beginning, isOurs)) return { kind: 'stranger' }
  const mail = await parsed(beginning)
  if (mail === null) return { kind: 'stranger' }
  // The address that it was sent to says what it asks for: a mail inside it, such as a forwarded one, asks for nothing.
  const unsubscribed = returnPaths.unsubscribedIn(recipients(mail))
  if (unsubscribed !== null) return { kind: 'unsubscribe', messageId: unsubscribed, mailId: mailIdOf(mail, raw) }
  const feedback = await blocksOf(mail, [FEEDBACK])
  const messageId = returnPaths.messageIn([...recipients(mail), ...originalSenders(feedback), ...(await returnedTo(mail))])
  if (messageId === null) return { kind: 'stranger' }
  const reported = feedback.length > 0 ? complaintOf(feedback) : readDeliveryStatus(await blocksOf(mail, DELIVERY_STATUS), mail.text ?? '')
  if (reported === undefined) return { kind: isAutomatic(mail) ? 'auto_reply' : 'unreadable' }
  return reported === null ? { kind: 'no_news' } : { kind: 'report', messageId, reported }
}

/** Limits that no report reaches; a mail that does is none. A returned mail stays closed: what is in it reports nothing. */
async function parsed(raw: Buffer): Promise<Email | null> {
  try {
    return await PostalMime.parse(raw, {
      attachmentEncoding: 'utf8',
      forceRfc822Attachments: true,
      maxNestingDepth: 10,
      maxHeadersSize: 128 * 1024,
    })
  } catch {
    return null
  }
}

/** Names a mail by its Message-ID, which a forwarder keeps while it adds other headers; by all of it if it has none. */
const mailIdOf = ({ messageId }: Email, raw: Buffer): string =>
  createHash('sha256')
    .update(messageId ?? raw)
    .digest('hex')

const recipients = ({ headers }: Email): readonly string[] =>
  headers.filter(({ key }) => RECIPIENT_HEADERS.includes(key)).map(({ value }) => value)

const partsOf = ({ attachments }: Email, types: readonly string[]): readonly Attachment[] =>
  attachments.filter(({ mimeType }) => types.includes(mimeType.toLowerCase()))

const textOf = ({ content }: Attachment): string => boundedPart(typeof content === 'string' ? content : new TextDecoder().decode(content))

async function blocksOf(mail: Email, types: readonly string[]): Promise<readonly Fields[]> {
  const part = partsOf(mail, types)[0]
  return part === undefined ? [] : await fieldBlocks(textOf(part))
}

/** The senders of the mail that a complaint is about, if its receiver names them (RFC 5965 §3.2). */
const originalSenders = (feedback: readonly Fields[]): readonly string[] =>
  feedback.flatMap((fields) => fields.get('original-mail-from') ?? [])

/** The Return-Path that a receiver wrote into the mail it gives back. */
async function returnedTo(mail: Email): Promise<readonly string[]> {
  const part = partsOf(mail, RETURNED)[0]
  return part === undefined ? [] : [(await fieldsOf(textOf(part))).get('return-path') ?? '']
}

function complaintOf(feedback: readonly Fields[]): Reported {
  const type = feedback.flatMap((fields) => fields.get('feedback-type') ?? [])[0]
  return COMPLAINTS.includes((type ?? '').trim().toLowerCase()) ? { type: 'complained' } : null
}

/** RFC 3834 §5 and what programs write that are older. */
function isAutomatic({ headers }: Email): boolean {
  const value = (name: string): string =>
    headers
      .find(({ key }) => key === name)
      ?.value.trim()
      .toLowerCase() ?? ''
  if (!['', 'no'].includes(value('auto-submitted'))) return true
  if (['bulk', 'list', 'auto_reply'].includes(value('precedence'))) return true
  return headers.some(({ key }) => ['x-autoreply', 'x-autorespond', 'x-auto-response-suppress'].includes(key))
}
