import { isoNow } from '@tidings/clock'
import { type EventLog, uuidv7 } from '@tidings/codec'
import { type MessageEvent, messageStream } from '@tidings/domain'
import type { PartReceipt } from '@tidings/providers'
import type { Pool } from 'pg'
import type { ReceiptApplied, Runner } from '../record-report.ts'
import { applySmsReceipt } from './apply-sms-receipt.ts'
import { isAmong, normalizePartId, readingsOf } from './part-ids.ts'
import { findParts, markDelivered, type SubmittedPart } from './part-store.ts'

export type TakingParts = Readonly<{ pool: Pool; log: EventLog; runner: Runner; provider: string }>

/** `unchanged`: not all parts are delivered, or nothing was said that changes anything. */
export type PartOutcome = ReceiptApplied['outcome'] | 'unchanged'

/**
 * Applies the receipt of one part: the message is delivered once all parts are, and failed when one has. Everything is durable when it
 * resolves, so a receipt may come again, over any process. Null where no part has its id.
 */
export async function takePartReceipt(taking: TakingParts, receipt: PartReceipt): Promise<PartOutcome | null> {
  const { pool, runner, provider } = taking
  const part = await findPart(taking, receipt)
  if (part === null) return null
  const { status, reason, detail, partId } = receipt
  if (status === 'sent') return 'unchanged'
  if (status === 'delivered' && !(await markDelivered(pool, part))) return 'unchanged'
  const { workspaceId, messageId } = part
  const of = { workspaceId, messageId, providerMessageId: partId, provider, requestId: uuidv7(), at: isoNow() }
  return (await applySmsReceipt(runner, { ...of, status, reason, detail })).outcome
}

/** An id that had to be converted, or that several messages have, is of the one whose recipient the receipt names. */
async function findPart(taking: TakingParts, { partId, numbers }: PartReceipt): Promise<SubmittedPart | null> {
  const exactId = normalizePartId(partId)
  const found = await findParts(taking.pool, readingsOf(partId))
  const exact = found.find((part) => part.partId === exactId) ?? null
  if (exact !== null && found.length === 1) return exact
  for (const part of found) {
    const to = await recipientOf(taking.log, part)
    if (to !== null && isAmong(to, numbers)) return part
  }
  return exact
}

/** Null for an erased person. */
async function recipientOf(log: EventLog, { workspaceId, messageId }: SubmittedPart): Promise<string | null> {
  const [accepted] = await log.readStream<MessageEvent>(workspaceId, messageStream(workspaceId, messageId), { limit: 1 })
  return accepted !== undefined && !accepted.erased && 'to' in accepted.data ? accepted.data.to : null
}
