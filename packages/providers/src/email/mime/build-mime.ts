import { messageIdHeader } from '../message-id.ts'
import type { EmailMessage } from '../port.ts'
import { type EncodedBody, encodedBody } from './encoded-body.ts'
import { mailboxHeader, plainHeader, textHeader, unsubscribeHeaders } from './header.ts'

/**
 * A message in its wire form (RFC 5322, multipart/alternative, CRLF): the same text for the same message, so that a second sending
 * after a crash is recognisable by its Message-ID. `host` is the right side of that id: a domain, or an address literal in brackets.
 * Throws `DeliveryError` ("refused") for a header that holds control characters.
 */
export function buildMime(message: EmailMessage, host: string, body: EncodedBody = encodedBody(message)): string {
  const boundary = `=_${message.messageId}`
  const replyTo = message.replyTo === null ? '' : `${mailboxHeader('Reply-To', { email: message.replyTo, name: null })}\r\n`
  const unsubscribing = unsubscribeHeaders(message)
    .map((line) => `${line}\r\n`)
    .join('')
  return `${mailboxHeader('From', message.from)}\r
${mailboxHeader('To', { email: message.to, name: null })}\r
${replyTo}${textHeader('Subject', message.subject)}\r
${plainHeader('Message-ID', messageIdHeader(message, host))}\r
${plainHeader('Date', new Date(message.at).toUTCString().replace('GMT', '+0000'))}\r
${plainHeader('X-Request-Id', message.requestId)}\r
${unsubscribing}MIME-Version: 1.0\r
Content-Type: multipart/alternative;\r
 boundary="${boundary}"\r
${part(boundary, 'text/plain', body.text)}${part(boundary, 'text/html', body.html)}\r
--${boundary}--\r
`
}

const part = (boundary: string, type: string, encoded: string): string =>
  `\r\n--${boundary}\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${encoded}`
