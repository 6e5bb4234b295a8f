import { isoNow } from '@tidings/async/clock'
import { type EventLog, uuidv7 } from '@tidings/codec'
import {
  addressesOf,
  INSTALLATION,
  type MessageEvent,
  messageStream,
  numberOfSender,
  type SenderNumbersEvent,
  senderNumbers,
  senderNumbersStream,
  smsSenderKey,
} from '@tidings/domain'
import type { PartReceipt } from '@tidings/providers'
import type { Pool } from 'pg'
import type { ReceiptApplied, Runner } from '../record-report.ts'
import { applySmsReceipt } from './apply-sms-receipt.ts'
import { isAmong, normalizePartId, readingsOf, subscribersAmong } from './part-ids.ts'
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
  const recipients = 'addresses' in part ? part.addresses : []
  const of = { workspaceId, messageId, providerMessageId: partId, provider, requestId: uuidv7(), at: isoNow(), recipients }
  return (await applySmsReceipt(runner, { ...of, status, reason, detail })).outcome
}

/** `addresses`: of the numbers that its message was for, those that the receipt names. */
type Candidate = SubmittedPart & Readonly<{ addresses: readonly string[]; from: string }>

/**
 * The part that a receipt is of. SMSCs give an id again, and write one in hexadecimal here and in decimal there: so it is the one whose
 * recipient the receipt names, and of several the one whose sender it names too; of those that have the very same id the newest. Where more
 * than one remains, or the receipt's numbers are no part's, it is of none: never somebody else's. A number of which it shows some digits only may be
 * several people's: it counts where it is one's alone. Where there is nothing to compare, in a receipt that names no number or a message of an erased
 * person, it is of the only part that has its id.
 */
async function findPart(taking: TakingParts, { partId, numbers }: PartReceipt): Promise<SubmittedPart | Candidate | null> {
  const found = await findParts(taking.pool, readingsOf(partId), taking.provider)
  const exact = found.length === 1 && found[0]?.partId === normalizePartId(partId) ? found[0] : null
  const subscribers = subscribersAmong(numbers)
  if (subscribers.whole.length + subscribers.masked.length === 0) return exact
  const read = await Promise.all(found.map((part) => candidate(taking.log, part)))
  if (exact !== null && read[0] === 'erased') return exact
  const candidates = read
    .filter((part) => part !== 'erased' && part !== null)
    .map((part) => ({ ...part, addresses: part.addresses.filter((to) => isAmong(to, subscribers)) }))
    .filter(({ addresses }) => addresses.length > 0)
  const isOnes = (parts: readonly Candidate[]): boolean =>
    subscribers.masked.length === 0 || new Set(parts.flatMap(({ addresses }) => addresses)).size < 2
  const only = (parts: readonly Candidate[]): Candidate | null => (isOnes(parts) ? onlyOne(parts) : null)
  const senders = new Set(numbers.map(smsSenderKey))
  const named = candidates.filter(({ from }) => senders.has(smsSenderKey(from)))
  if (named.length > 0 || candidates.length < 2) return only(named.length > 0 ? named : candidates)
  return only(await fromOwnNumbers(taking.log, candidates, senders)) ?? only(candidates)
}

/** Those whose sender ID has one of the numbers as its own (M48): a gateway knows it by that. */
async function fromOwnNumbers(
  log: EventLog,
  candidates: readonly Candidate[],
  senders: ReadonlySet<string>,
): Promise<readonly Candidate[]> {
  const events = await log.readStream<SenderNumbersEvent>(INSTALLATION, senderNumbersStream())
  const state = events.reduce(senderNumbers.evolve, senderNumbers.initialState)
  return candidates.filter(({ workspaceId, from }) => {
    const number = numberOfSender(state, { workspaceId, senderId: from })
    return number !== null && senders.has(smsSenderKey(number))
  })
}

/** The newest, where all have the same id; null where they differ. */
const onlyOne = (parts: readonly Candidate[]): Candidate | null =>
  new Set(parts.map(({ partId }) => partId)).size === 1 ? (parts[0] ?? null) : null

async function candidate(log: EventLog, part: SubmittedPart): Promise<Candidate | 'erased' | null> {
  const { workspaceId, messageId } = part
  const events = await log.readStream<MessageEvent>(workspaceId, messageStream(workspaceId, messageId))
  const [accepted] = events
  if (accepted?.erased) return 'erased'
  if (accepted === undefined || !('to' in accepted.data)) return null
  // It may have been readdressed before the part was submitted, or after (M45).
  const addresses = addressesOf(events).filter((to) => to !== null)
  return { ...part, addresses, from: 'from' in accepted.data ? accepted.data.from : '' }
}
