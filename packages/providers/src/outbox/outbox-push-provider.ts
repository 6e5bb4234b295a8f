import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { DeliveryError } from '../port.ts'
import { payloadTooLarge, pushPayload, TTL_SECONDS, topicOf } from '../push/payload.ts'
import type { PushMessage, PushProvider } from '../push/port.ts'
import { inBatches } from './batches.ts'
import { type OutboxEntry, outboxWriter } from './outbox-store.ts'

const MAX_BATCH = 200

/** The development provider: stores what each browser would get where people can see it, and sends nothing. `from`: whom push services would write to. */
export function createOutboxPushProvider({ pool, from }: Readonly<{ pool: Pool; from: string }>): PushProvider {
  const put = inBatches(outboxWriter(pool), MAX_BATCH)
  return {
    name: 'outbox',
    callMs: 10_000,
    outage: () => null,
    send: async (message, { fence }) => {
      const payload = pushPayload(message)
      const refused = payloadTooLarge(payload)
      if (refused !== null) throw new DeliveryError('refused', refused)
      const entry = entryOf(message, { payload, from })
      await fence()
      await put(entry).catch((error: unknown) => {
        throw new DeliveryError('temporary', error instanceof Error ? error.message : String(error))
      })
      return { providerMessageId: entry.id }
    },
    close: async () => undefined,
  }
}

/** `text` is the payload. */
const entryOf = (message: PushMessage, { payload, from }: Readonly<{ payload: string; from: string }>): OutboxEntry => ({
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
