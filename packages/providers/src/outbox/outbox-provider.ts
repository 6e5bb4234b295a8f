import { randomUUID } from 'node:crypto'
import { textOfHtml } from '@tidings/html'
import type { Pool } from 'pg'
import { messageIdHeader, messageIdHost, providerIdOf } from '../email/message-id.ts'
import { mailboxHeader, textHeader } from '../email/mime/header.ts'
import { kindHeaders } from '../email/mime/kind-headers.ts'
import type { EmailMessage, EmailProvider } from '../email/port.ts'
import { DeliveryError } from '../port.ts'
import { inBatches } from './batches.ts'
import { type OutboxEntry, outboxWriter } from './outbox-store.ts'

const MAX_BATCH = 200

/** The development provider: stores every email where people can see it, sends nothing. */
export function outboxProvider({ pool, publicUrl }: Readonly<{ pool: Pool; publicUrl: string }>): EmailProvider {
  const host = messageIdHost(publicUrl)
  const put = inBatches(outboxWriter(pool), MAX_BATCH)
  return {
    name: 'outbox',
    callMs: 10_000,
    outage: () => null,
    send: async (message, { fence }) => {
      const entry = toEntry(message, host)
      await fence()
      await put(entry).catch((error: unknown) => {
        throw new DeliveryError('temporary', error instanceof Error ? error.message : String(error))
      })
      return { providerMessageId: providerIdOf(message, host) }
    },
    close: async () => undefined,
  }
}

function toEntry(message: EmailMessage, host: string): OutboxEntry {
  const replyTo = message.replyTo === null ? [] : [mailboxHeader('Reply-To', { email: message.replyTo, name: null })]
  const lines = [
    mailboxHeader('From', message.from),
    mailboxHeader('To', { email: message.to, name: null }),
    ...replyTo,
    ...kindHeaders(message, null),
  ]
  // Built as for the wire, so that what SMTP would refuse is refused here too.
  textHeader('Subject', message.subject)
  return {
    id: randomUUID(),
    workspaceId: message.workspaceId,
    channel: 'email',
    to: message.to,
    from: message.from.name === null ? message.from.email : `${message.from.name} <${message.from.email}>`,
    subject: message.subject,
    html: message.html,
    text: message.text ?? textOfHtml(message.html),
    body: null,
    headers: {
      ...Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])),
      'Message-ID': messageIdHeader(message, host),
      'X-Request-Id': message.requestId,
    },
    messageId: message.messageId,
  }
}
