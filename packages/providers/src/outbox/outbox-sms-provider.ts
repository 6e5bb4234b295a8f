import type { Pool } from 'pg'
import { gatewaySender, type SmsMessage, type SmsProvider } from '../sms/port.ts'
import { createOutboxPut, type ShortEntry } from './outbox-put.ts'

/** The development provider: stores every text message where people can see it, passcodes included, and sends nothing. */
export function createOutboxSmsProvider(pool: Pool): SmsProvider {
  const put = createOutboxPut(pool)
  return {
    name: 'outbox',
    callMs: 10_000,
    outage: () => null,
    send: (message, { fence }) => put(fence, () => entryOf(message)),
    close: async () => undefined,
  }
}

const entryOf = (message: SmsMessage): ShortEntry => ({
  workspaceId: message.workspaceId,
  messageId: message.messageId,
  channel: 'sms',
  to: message.to,
  from: gatewaySender(message),
  body: message.body,
})
