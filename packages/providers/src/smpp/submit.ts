import { createHash } from 'node:crypto'
import { backoffDelay, pause } from '@tidings/async'
import { type MessageId, smsParts, type WorkspaceId } from '@tidings/domain'
import { DeliveryError, type SendOptions } from '../port.ts'
import type { Slots } from '../queue/slots.ts'
import { gatewaySender, type SmsMessage } from '../sms/port.ts'
import { phoneRoute } from '../throttle/phone-route.ts'
import type { SendThrottle } from '../throttle/send-throttle.ts'
import { Throttled } from '../throttle/throttled.ts'
import { recipientAddress, senderAddress } from './address.ts'
import { type SmppConnection, UnansweredError } from './connection.ts'
import { gsm7Codes } from './gsm7-bytes.ts'
import type { SmppLink } from './link.ts'
import { type IncomingPdu, type PduFields, statusName } from './pdu.ts'
import { optedOut, refusalOf, refusedSubmit } from './refusals.ts'
import type { OptOutCodes } from './settings.ts'

/** What goes into one `submit_sm`: `bytes` is the short_message, with its user data header where `hasHeader`. */
type SmsPart = Readonly<{ bytes: Buffer; hasHeader: boolean }>
export type EncodedParts = Readonly<{ dataCoding: 0 | 8; parts: readonly SmsPart[] }>

/** The total is one byte of the header. */
const MAX_PARTS = 255

/**
 * A text in the parts that are counted and priced (`smsParts`), as bytes with the header by which a handset puts them together (3GPP TS 23.040 §9.2.3.24.1). The
 * 8-bit reference follows from `messageId`: a message that is sent again completes on a handset that has some of its parts already.
 */
export function partsOf(messageId: MessageId, body: string): EncodedParts {
  const { alphabet, parts } = smsParts(body)
  const encode = alphabet === 'gsm7' ? (text: string) => Buffer.from([...text].flatMap((character) => [...gsm7Codes(character)])) : ucs2
  const dataCoding = alphabet === 'gsm7' ? 0 : 8
  if (parts.length === 1) return { dataCoding, parts: [{ bytes: encode(body), hasHeader: false }] }
  const reference = createHash('sha256').update(messageId).digest()[0] ?? 0
  const headed = parts.map((part, index) => ({
    bytes: Buffer.concat([Buffer.from([5, 0, 3, reference, parts.length, index + 1]), encode(part)]),
    hasHeader: true,
  }))
  return { dataCoding, parts: headed }
}

const ucs2 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

/**
 * `window`: how many submits may wait for their answers (SMPP 3.4 §2.4.4). `throttleMs`: how long the rest of a message that is partly sent
 * waits for an SMSC that throttles.
 */
export type Submitting = Readonly<{ link: SmppLink; window: Slots; throttle: SendThrottle; throttleMs: number; optOut: OptOutCodes }>

/** `fieldsNow` is called behind the fence. `isBegun`: another part of the message was taken. */
type SubmitPart = Readonly<{ fieldsNow: () => PduFields; workspaceId: WorkspaceId; isBegun: boolean }>

const LATER_RETRY = { minMs: 100, maxMs: 5_000 }

const UDH_INDICATOR = 0x40
/** A receipt for success and failure (SMPP 3.4 §5.2.17). */
const FINAL_RECEIPT = 1

/**
 * Submits a message in its parts and returns the SMSC's ids of them in their order. The first part goes alone: where it is refused, the
 * others are never sent. Throws `DeliveryError` or what `fence` throws.
 */
export async function submitMessage(submitting: Submitting, message: SmsMessage, options: SendOptions): Promise<readonly string[]> {
  const { dataCoding, parts } = partsOf(message.messageId, message.body)
  if (parts.length > MAX_PARTS) throw new DeliveryError('refused', `The message takes ${parts.length} parts, more than ${MAX_PARTS}.`)
  const { workspaceId, to, from } = message
  let addresses = addressFields(from, to)
  const fieldsOf = ({ bytes, hasHeader }: SmsPart) => ({
    esm_class: hasHeader ? UDH_INDICATOR : 0,
    registered_delivery: FINAL_RECEIPT,
    data_coding: dataCoding,
    short_message: bytes,
  })
  const [first, ...others] = parts.map(fieldsOf)
  const throttled = { workspaceId, to, route: phoneRoute(message) }
  const firstPart: SubmitPart = {
    fieldsNow: () => {
      addresses = addressFields(gatewaySender(message), to)
      return { ...addresses, ...first }
    },
    workspaceId,
    isBegun: false,
  }
  const firstId = await submitting.throttle.send(throttled, options, (timed) => submitPart(submitting, firstPart, timed))
  // A handset puts together what has one sender: the others leave from that of the first.
  const part = (fields: PduFields): SubmitPart => ({ fieldsNow: () => ({ ...addresses, ...fields }), workspaceId, isBegun: true })
  // A message that has begun is carried through, whatever is decided meanwhile: half of one is worse than all of it.
  const later = { ...options, fence: () => undefined, signal: new AbortController().signal, handedOver: () => undefined }
  const results = await Promise.allSettled(others.map((fields) => submitLater(submitting, part(fields), later)))
  return [firstId, ...idsOf(results)]
}

function addressFields(from: string, to: string): PduFields {
  const source = senderAddress(from)
  const destination = recipientAddress(to)
  return {
    source_addr_ton: source.ton,
    source_addr_npi: source.npi,
    source_addr: source.address,
    dest_addr_ton: destination.ton,
    dest_addr_npi: destination.npi,
    destination_addr: destination.address,
  }
}

/** A part that could not be tried leaves a message that is partly sent: whether it counts as tried is in doubt. */
function idsOf(results: readonly PromiseSettledResult<string>[]): readonly string[] {
  const errors = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as unknown)
  if (errors.length === 0) return results.map((result) => (result as PromiseFulfilledResult<string>).value)
  const isFinal = (error: unknown) => error instanceof DeliveryError && (error.failure === 'refused' || error.failure === 'recipient')
  const worst = errors.find((error) => !(error instanceof DeliveryError)) ?? errors.find(isFinal) ?? errors[0]
  if (worst instanceof DeliveryError && worst.failure === 'outage')
    throw new DeliveryError('unconfirmed', `Not every part of the message was sent. ${worst.message}`)
  if (worst instanceof DeliveryError && worst.failure === 'temporary')
    throw new DeliveryError('temporary', worst.message, { ...worst, isPartlyTaken: true })
  throw worst
}

/** A part of a message that is partly sent: throttling delays it, as long as a message may be in doubt. */
async function submitLater(submitting: Submitting, part: SubmitPart, options: SendOptions): Promise<string> {
  const giveUpAt = performance.now() + submitting.throttleMs
  for (let tries = 1; ; tries++) {
    try {
      return await submitPart(submitting, part, options)
    } catch (error) {
      if (!(error instanceof Throttled) || performance.now() >= giveUpAt) throw error
      await pause(backoffDelay(tries, LATER_RETRY), options.signal)
    }
  }
}

async function submitPart(
  { link, window, optOut }: Submitting,
  { fieldsNow, workspaceId, isBegun }: SubmitPart,
  options: SendOptions,
): Promise<string> {
  const { signal, fence, handedOver, priority } = options
  const connectionOf = () => link.bound(signal)
  await connectionOf()
  const leave = await window.take({ workspaceId, priority, signal, isBegun })
  try {
    let connection = await connectionOf()
    await fence()
    while (!connection.isAlive()) {
      connection = await connectionOf()
      await fence()
    }
    const answering = connection.request('submit_sm', fieldsNow())
    handedOver?.()
    const answer = await answering
    if (optOut.statuses.includes(answer.status)) throw optedOut(answer.status)
    return idIn(connection, answer)
  } catch (error) {
    if (!(error instanceof UnansweredError)) throw error
    throw new DeliveryError('unconfirmed', `The SMSC did not answer the message: ${error.message}.`)
  } finally {
    leave()
  }
}

/** A session that takes other messages is bound, whatever is said of one (M57). */
function idIn(connection: SmppConnection, answer: IncomingPdu): string {
  if (answer.status === 0) {
    connection.noteTaken()
    return answer.text('message_id')
  }
  const refusal = refusalOf(answer.status)
  if (refusal !== 'outage') throw refusedSubmit(answer.status, refusal)
  if (!connection.isSaidUnbound()) throw refusedSubmit(answer.status, 'temporary')
  connection.end(`the SMSC says that the session is not bound: ${statusName(answer.status)}`)
  throw refusedSubmit(answer.status, 'outage')
}
