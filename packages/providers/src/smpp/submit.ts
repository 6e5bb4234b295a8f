import { DeliveryError, type SendOptions } from '../port.ts'
import type { SmsMessage } from '../sms/port.ts'
import { recipientAddress, senderAddress } from './address.ts'
import { UnansweredError } from './connection.ts'
import type { SmppLink } from './link.ts'
import { MAX_PARTS, partsOf, type SmsPart } from './parts.ts'
import { type PduFields, statusName } from './pdu.ts'
import { refusalOf, refusedSubmit } from './refusals.ts'
import type { SubmitWindow } from './window.ts'

/** `throttleMs`: how long one message waits for an SMSC that throttles, before it is put off. */
export type Submitting = Readonly<{ link: SmppLink; window: SubmitWindow; throttleMs: number }>

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
  const addresses = addressFields(message)
  const fieldsOf = ({ bytes, hasHeader }: SmsPart): PduFields => ({
    ...addresses,
    esm_class: hasHeader ? UDH_INDICATOR : 0,
    registered_delivery: FINAL_RECEIPT,
    data_coding: dataCoding,
    short_message: bytes,
  })
  const [first, ...others] = parts.map(fieldsOf)
  const firstId = await submitPart(submitting, first!, options)
  // A call that has begun is carried through.
  const later = { ...options, signal: new AbortController().signal, handedOver: () => undefined }
  const results = await Promise.allSettled(others.map((fields) => submitPart(submitting, fields, later)))
  return [firstId, ...idsOf(results)]
}

function addressFields({ from, to }: SmsMessage): PduFields {
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
  throw worst
}

async function submitPart(submitting: Submitting, fields: PduFields, options: SendOptions): Promise<string> {
  const giveUpAt = performance.now() + submitting.throttleMs
  for (;;) {
    const { status, id } = await submitOnce(submitting, fields, options)
    if (status === 0) {
      submitting.window.accepted()
      return id
    }
    const refusal = refusalOf(status)
    if (refusal !== 'throttled') throw refusedSubmit(status, refusal)
    submitting.window.throttled()
    if (performance.now() >= giveUpAt) throw new DeliveryError('outage', `The SMSC throttles: ${statusName(status)}.`)
  }
}

async function submitOnce(submitting: Submitting, fields: PduFields, { signal, fence, handedOver }: SendOptions) {
  const { link, window } = submitting
  const connectionOf = () => link.bound(signal)
  await connectionOf()
  if (!(await window.enter(signal))) throw new DeliveryError('outage', 'The sending was cancelled before the call.')
  try {
    let connection = await connectionOf()
    await fence()
    if (!connection.isAlive()) {
      connection = await connectionOf()
      await fence()
    }
    if (!connection.isAlive()) throw new DeliveryError('outage', 'The connection to the SMSC was lost.')
    const answering = connection.request('submit_sm', fields)
    handedOver?.()
    const answer = await answering
    if (refusalOf(answer.status) === 'outage') connection.end(`the SMSC says that the session is not bound: ${statusName(answer.status)}`)
    return { status: answer.status, id: answer.text('message_id') }
  } catch (error) {
    if (!(error instanceof UnansweredError)) throw error
    throw new DeliveryError('unconfirmed', `The SMSC did not answer the message: ${error.message}.`)
  } finally {
    window.leave()
  }
}
