import type { Pool } from 'pg'
import type { SmsMessage, SmsProvider } from '../sms/port.ts'
import { createOutboxPut, type ShortEntry } from './outbox-put.ts'

/** The development provider: stores every text message where people can see it, passcodes included, and sends nothing. */
export function createOutboxSmsProvider(pool: Pool): SmsProvider {
  const put = createOutboxPut(pool)
  return {
    name: 'outbox',
    callMs: 10_000,
    outage: () => null,
    send: (message, { fence }) => put(fence, entryOf(message)),
    close: async () => undefined,
  }
}

const entryOf = ({ workspaceId, messageId, to, from, body }: SmsMessage): ShortEntry => ({
  workspaceId,
  messageId,
  channel: 'sms',
  to,
  from,
  body,
})
