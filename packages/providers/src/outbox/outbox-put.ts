import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { DeliveryError, type SendOptions } from '../port.ts'
import { inBatches } from './batches.ts'
import { type OutboxEntry, outboxWriter } from './outbox-store.ts'

export type ShortEntry = Pick<OutboxEntry, 'workspaceId' | 'channel' | 'to' | 'from' | 'body'> & Readonly<{ messageId: string }>

const MAX_BATCH = 200

/** `entryNow` is called behind the fence. */
type OutboxPut = (fence: SendOptions['fence'], entryNow: () => ShortEntry) => Promise<Readonly<{ providerMessageId: string }>>

/** Stores messages that have nothing but a body, batched. The provider's id of a message is ours. */
export function createOutboxPut(pool: Pool): OutboxPut {
  const put = inBatches(outboxWriter(pool), MAX_BATCH)
  return async (fence, entryNow) => {
    await fence()
    const entry = entryNow()
    await put({ ...entry, id: randomUUID(), subject: null, html: null, text: null, headers: null }).catch((error: unknown) => {
      throw new DeliveryError('temporary', error instanceof Error ? error.message : String(error))
    })
    return { providerMessageId: entry.messageId }
  }
}
