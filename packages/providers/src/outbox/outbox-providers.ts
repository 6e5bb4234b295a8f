import { randomUUID } from 'node:crypto'
import type { MessageId, WorkspaceId } from '@tidings/domain'
import { textOfHtml } from '@tidings/mail-content'
import type { Pool } from 'pg'
import { messageIdHeader, messageIdHost, providerIdOf } from '../email/message-id.ts'
import { mailboxHeader, textHeader } from '../email/mime/header.ts'
import { kindHeaders } from '../email/mime/kind-headers.ts'
import type { EmailMessage, EmailProvider } from '../email/port.ts'
import { DeliveryError } from '../port.ts'
import { payloadTooLarge, pushPayload, TTL_SECONDS, topicOf } from '../push/payload.ts'
import type { PushMessage, PushProvider } from '../push/port.ts'
import { gatewaySender, type SmsMessage, type SmsProvider } from '../sms/port.ts'
import { spokenMessage, type VoiceCall, type VoiceProvider } from '../voice/port.ts'
import { type OutboxEntry, outboxWriter } from './outbox-store.ts'

const MAX_BATCH = 200

/** What every provider of the outbox is beside what it sends: nothing takes time, and nothing can be away. */
const alwaysThere = { name: 'outbox', callMs: 10_000, outage: () => null, close: async () => undefined }

/** The development provider: stores every email where people can see it, sends nothing. */
export function outboxProvider({ pool, publicUrl }: Readonly<{ pool: Pool; publicUrl: string }>): EmailProvider {
  const host = messageIdHost(publicUrl)
  const put = createPut(pool)
  return {
    ...alwaysThere,
    send: async (message, { fence }) => {
      const entry = mailEntry(message, host)
      await fence()
      await put(entry)
      return { providerMessageId: providerIdOf(message, host) }
    },
  }
}

/** Stores every text message, passcodes included. The provider's id of a message is ours, and so it is of a call. */
export function createOutboxSmsProvider(pool: Pool): SmsProvider {
  const put = createPut(pool)
  return {
    ...alwaysThere,
    send: async (message, { fence }) => {
      await fence()
      await put(textEntry(message))
      return { providerMessageId: message.messageId }
    },
  }
}

/** Stores what a call would say once, the code digit by digit, and makes no call. */
export function createOutboxVoiceProvider(pool: Pool): VoiceProvider {
  const put = createPut(pool)
  return {
    ...alwaysThere,
    call: async (call, { fence }) => {
      await fence()
      await put(callEntry(call))
      return { providerMessageId: call.messageId }
    },
  }
}

/** Stores what each browser would get. `from`: whom push services would write to. */
export function createOutboxPushProvider({ pool, from }: Readonly<{ pool: Pool; from: string }>): PushProvider {
  const put = createPut(pool)
  return {
    ...alwaysThere,
    send: async (message, { fence }) => {
      const payload = pushPayload(message)
      const refused = payloadTooLarge(payload)
      if (refused !== null) throw new DeliveryError('refused', refused)
      const entry = pushEntry(message, { payload, from })
      await fence()
      await put(entry)
      return { providerMessageId: entry.id }
    },
  }
}

/** Stores entries, many in one statement. */
function createPut(pool: Pool): (entry: OutboxEntry) => Promise<void> {
  const put = inBatches(outboxWriter(pool), MAX_BATCH)
  return async (entry) =>
    await put(entry).catch((error: unknown) => {
      throw new DeliveryError('temporary', error instanceof Error ? error.message : String(error))
    })
}

function mailEntry(message: EmailMessage, host: string): OutboxEntry {
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

const textEntry = (message: SmsMessage): OutboxEntry => ({
  ...nothingElse(message),
  channel: 'sms',
  from: gatewaySender(message),
  body: message.body,
})

const callEntry = (call: VoiceCall): OutboxEntry => ({
  ...nothingElse(call),
  channel: 'voice',
  from: call.from,
  body: spokenMessage(call, ' '),
})

const nothingElse = ({ workspaceId, messageId, to }: Readonly<{ workspaceId: WorkspaceId; messageId: MessageId; to: string }>) => ({
  id: randomUUID(),
  workspaceId,
  messageId,
  to,
  subject: null,
  html: null,
  text: null,
  headers: null,
})

/** `text` is the payload. */
const pushEntry = (message: PushMessage, { payload, from }: Readonly<{ payload: string; from: string }>): OutboxEntry => ({
  id: randomUUID(),
  workspaceId: message.workspaceId,
  channel: 'push',
  to: message.endpoint,
  from,
  subject: message.notification.title,
  html: null,
  text: payload,
  body: message.notification.body,
  headers: { TTL: String(TTL_SECONDS), Urgency: message.urgency, Topic: topicOf(message) },
  messageId: message.messageId,
})

type WaitingItem<Item> = Readonly<{ item: Item; resolve: () => void; reject: (error: unknown) => void }>

/** Writes what waits in one call, one call at a time; each `put` settles with the call that carried its item. Callers bound their own number. */
function inBatches<Item>(write: (items: readonly Item[]) => Promise<void>, max: number): (item: Item) => Promise<void> {
  const queue: WaitingItem<Item>[] = []
  let writing = false
  const run = async (): Promise<void> => {
    writing = true
    while (queue.length > 0) {
      const batch = queue.splice(0, max)
      try {
        await write(batch.map(({ item }) => item))
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    writing = false
  }
  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject })
      if (!writing) void run()
    })
}
