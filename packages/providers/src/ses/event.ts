import { parseProviderId } from '../email/message-id.ts'
import { isOfRecipient, type MailReport } from '../email/report.ts'
import { type Fields, fieldsIn, fieldsOf } from '../http-api/json-fields.ts'

const MAX_TEXT = 2_000
/** SES keeps lists of addresses that bounced, and sends them nothing more. */
const SUPPRESSED = ['Suppressed', 'OnAccountSuppressionList']

/**
 * What an event of SES, or a notification of an identity, says of a mail (https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html); null where it moves
 * none. The mail is named by our Message-ID where its headers are shown, else by the id that SES gave it.
 */
export function sesReport(text: string): MailReport | null {
  const event = fieldsIn(text)
  const mail = fieldsOf(event.mail)
  const providerMessageId = ourId(mail.headers) ?? mail.messageId
  if (typeof providerMessageId !== 'string' || providerMessageId === '' || providerMessageId.length > 255) return null
  const [to] = listOf(mail.destination)
  const of = { providerMessageId, ...(typeof to === 'string' && to.length <= 320 && { to }) }
  const type = event.eventType ?? event.notificationType
  if (type === 'Delivery') return { ...of, type: 'delivered' }
  if (type === 'Complaint') return fieldsOf(event.complaint).complaintFeedbackType === 'not-spam' ? null : { ...of, type: 'complained' }
  if (type === 'Bounce') return { ...of, ...bounceOf(fieldsOf(event.bounce)) }
  if (type === 'Reject') return { ...of, type: 'bounced', hard: false, reason: reasonOf(['rejected', fieldsOf(event.reject).reason]) }
  return null
}

function bounceOf({ bounceType, bounceSubType, bouncedRecipients }: Fields): Pick<MailReport, 'type' | 'hard' | 'reason'> {
  const { status, diagnosticCode } = fieldsOf(listOf(bouncedRecipients)[0])
  const reason = reasonOf([`${bounceType}/${bounceSubType}`, status, diagnosticCode])
  const isKept = SUPPRESSED.some((one) => one === bounceSubType)
  const hard = bounceType === 'Permanent' && (isKept || isCodeOfRecipient(status, diagnosticCode))
  return { type: 'bounced', hard, reason }
}

/** `diagnosticCode` is `smtp; 550 5.1.1 …` where the receiver gave one, `status` an enhanced code. */
function isCodeOfRecipient(status: unknown, diagnosticCode: unknown): boolean {
  const said = typeof diagnosticCode === 'string' ? diagnosticCode.replace(/^\s*smtp\s*;\s*/i, '').trim() : ''
  const enhanced = typeof status === 'string' && /^5\.\d{1,3}\.\d{1,3}$/.test(status) ? status : ''
  const [, code = '550', words = ''] = /^(\d{3})[ -]?(.*)$/s.exec(said) ?? ['', '550', said]
  return isOfRecipient(Number(code), `${code} ${/^\d\.\d{1,3}\.\d{1,3}/.test(words) ? words : `${enhanced} ${words}`}`)
}

const reasonOf = (parts: readonly unknown[]): string =>
  parts
    .filter((part) => typeof part === 'string' && part !== '')
    .join(' ')
    .slice(0, MAX_TEXT)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The id of the mail as it left us, which stands among its headers. */
function ourId(headers: unknown): string | null {
  for (const header of listOf(headers)) {
    const { name, value } = fieldsOf(header)
    if (typeof name !== 'string' || name.toLowerCase() !== 'message-id' || typeof value !== 'string') continue
    if (value.length <= 255 && parseProviderId(value) !== null) return value
  }
  return null
}
