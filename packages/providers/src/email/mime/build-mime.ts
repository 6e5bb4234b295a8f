import { messageIdHeader } from '../message-id.ts'
import type { EmailMessage } from '../port.ts'
import { type EncodedBody, encodedBody } from './encoded-body.ts'
import { mailboxHeader, plainHeader, textHeader } from './header.ts'
import { kindHeaders } from './kind-headers.ts'

/**
 * `host`: the right side of the Message-ID, a domain, or an address literal in brackets. `date`: the hand-over, not when the message was accepted
 * (M53). `unsubscribeAddress`: where a mail unsubscribes its reader; null where none is read.
 */
export type MimeOptions = Readonly<{ host: string; date: Date; unsubscribeAddress?: string | null; body?: EncodedBody }>

/**
 * A message in its wire form (RFC 5322, multipart/alternative, CRLF): the same text for the same message and date, and under the same Message-ID
 * at every attempt. Throws `DeliveryError` ("refused") for a header that holds control characters.
 */
export function buildMime(
  message: EmailMessage,
  { host, date, unsubscribeAddress = null, body = encodedBody(message) }: MimeOptions,
): string {
  const boundary = `=_${message.messageId}`
  const replyTo = message.replyTo === null ? '' : `${mailboxHeader('Reply-To', { email: message.replyTo, name: null })}\r\n`
  const kind = kindHeaders(message, unsubscribeAddress)
    .map((line) => `${line}\r\n`)
    .join('')
  return `${mailboxHeader('From', message.from)}\r
${mailboxHeader('To', { email: message.to, name: null })}\r
${replyTo}${textHeader('Subject', message.subject)}\r
${plainHeader('Message-ID', messageIdHeader(message, host))}\r
${plainHeader('Date', date.toUTCString().replace('GMT', '+0000'))}\r
${plainHeader('X-Request-Id', message.requestId)}\r
${kind}MIME-Version: 1.0\r
Content-Type: multipart/alternative;\r
 boundary="${boundary}"\r
${part(boundary, 'text/plain', body.text)}${part(boundary, 'text/html', body.html)}\r
--${boundary}--\r
`
}

const part = (boundary: string, type: string, encoded: string): string =>
  `\r\n--${boundary}\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${encoded}`
