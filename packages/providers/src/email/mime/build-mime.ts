import { messageIdHeader } from '../message-id.ts'
import type { EmailMessage } from '../port.ts'
import { mailboxHeader, plainHeader, textHeader } from './header.ts'
import { quotedPrintable } from './quoted-printable.ts'
import { textOfHtml } from './text-of-html.ts'

/**
 * A message in its wire form (RFC 5322, multipart/alternative, CRLF): the same bytes for the same message, so that a second sending
 * after a crash is recognisable by its Message-ID. `host` is the right side of that id: a domain, or an address literal in brackets.
 * Throws `DeliveryError` ("refused") for a header that holds control characters.
 */
export function buildMime(message: EmailMessage, host: string): Buffer {
  const boundary = `=_${message.messageId}`
  const head = [
    mailboxHeader('From', message.from),
    mailboxHeader('To', { email: message.to, name: null }),
    ...(message.replyTo === null ? [] : [mailboxHeader('Reply-To', { email: message.replyTo, name: null })]),
    textHeader('Subject', message.subject),
    plainHeader('Message-ID', messageIdHeader(message.messageId, host)),
    plainHeader('Date', new Date(message.at).toUTCString().replace('GMT', '+0000')),
    plainHeader('X-Request-Id', message.requestId),
    'MIME-Version: 1.0',
    `Content-Type: multipart/alternative;\r\n boundary="${boundary}"`,
  ].join('\r\n')
  return Buffer.concat([
    Buffer.from(`${head}\r\n${partHead(boundary, 'text/plain')}`),
    quotedPrintable(message.text ?? textOfHtml(message.html)),
    Buffer.from(partHead(boundary, 'text/html')),
    quotedPrintable(message.html),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
}

const partHead = (boundary: string, type: string): string =>
  `\r\n--${boundary}\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`
