import { LRUCache } from 'lru-cache'
import type { InboundSms, PartReceipt } from '../sms/port.ts'
import { InboundMessages } from './inbound.ts'
import { decodeText, inboundPart } from './inbound-text.ts'
import { type IncomingPdu, statusCode } from './pdu.ts'
import { readReceipt } from './receipt-text.ts'

/** `settled`: resolves when every submit that has left by now has its answer, or will have none. `warn` gets a sentence about what is dropped. */
export type DeliverySettings = Readonly<{
  settled: () => Promise<unknown>
  onReceipt: (receipt: PartReceipt) => Promise<'taken' | 'unknown'>
  onInbound: (message: InboundSms) => Promise<void>
  warn: (sentence: string) => void
  /** The `err` of receipts by which this SMSC says that the recipient asked it to stop. */
  optOutErrors: readonly string[]
  /** The country whose numbers the SMSC writes without a calling code. */
  country: string | null
}>

/** The type of message in esm_class (SMPP 3.4 §5.2.12). */
const MESSAGE_TYPE = 0x3c
const INBOUND = 0x00
const RECEIPT = 0x04
const INTERMEDIATE = 0x20
const UCS2 = 0x08

/** GSM's "unknown subscriber" (3GPP TS 29.002): network type and error, of network_error_code. */
const UNKNOWN_SUBSCRIBER = [3, 0, 1]

const MAX_UNKNOWN = 10_000
/** An SMSC repeats within minutes, and may give the id to another message within hours. */
const UNKNOWN_MS = 10 * 60_000

/** Takes what an SMSC delivers. A text that only looks like a receipt is an inbound message: a person may write anything. */
export class Deliveries {
  readonly #settings: DeliverySettings
  readonly #inbound: InboundMessages
  /** Receipts that the SMSC was asked to repeat: another process may be about to store their message. A second time they are dropped. */
  readonly #unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: UNKNOWN_MS, ttlResolution: 0 })

  constructor(settings: DeliverySettings) {
    this.#settings = settings
    this.#inbound = new InboundMessages(settings.warn, settings.country)
  }

  /** The command_status of the answer: OK once the callback has resolved, a temporary error where it rejected, so that the SMSC repeats. */
  async take(pdu: IncomingPdu): Promise<number> {
    try {
      const type = (pdu.int('esm_class') ?? 0) & MESSAGE_TYPE
      if (type === RECEIPT || type === INTERMEDIATE || pdu.text('receipted_message_id') !== '') await this.#takeReceipt(pdu)
      else if (type === INBOUND) await this.#inbound.take(pdu, this.#settings.onInbound)
      return statusCode('ESME_ROK')
    } catch {
      return statusCode('ESME_RX_T_APPN')
    }
  }

  close(): void {
    this.#inbound.close()
  }

  async #takeReceipt(pdu: IncomingPdu): Promise<void> {
    const { settled, onReceipt, warn, optOutErrors } = this.#settings
    const receipt = receiptIn(pdu, optOutErrors)
    if (receipt === null) return warn('A receipt was dropped: it has no id, or no state that SMPP knows.')
    const asked = `${receipt.partId} ${receipt.status}`
    const isTaken = async () => (await onReceipt(receipt)) === 'taken'
    // It may have come before the answer to its submit.
    if ((await isTaken()) || (await settled().then(isTaken))) {
      this.#unknown.delete(asked)
      return
    }
    if (this.#unknown.has(asked)) return warn('A receipt was dropped: no message has its id.')
    this.#unknown.set(asked, true)
    throw new Error('no message has its id yet')
  }
}

function receiptIn(pdu: IncomingPdu, optOutErrors: readonly string[]): PartReceipt | null {
  const { dataCoding, bytes } = inboundPart(pdu)
  // Receipts are ASCII whatever the SMSC's alphabet is: in GSM-7 an underscore of an id would be another character.
  const text = dataCoding === UCS2 ? decodeText(UCS2, bytes) : bytes.toString('latin1')
  const read = readReceipt(text, { id: pdu.text('receipted_message_id'), state: pdu.int('message_state') })
  if (read === null) return null
  const { id: partId, status, detail, error } = read
  const reason = status === 'failed' && optOutErrors.includes(error) ? 'sms_stop' : read.reason
  const isUnknownSubscriber = status === 'failed' && pdu.bytes('network_error_code').equals(Buffer.from(UNKNOWN_SUBSCRIBER))
  const numbers = [pdu.text('source_addr'), pdu.text('destination_addr')]
  return { partId, status, reason: isUnknownSubscriber ? 'invalid_address' : reason, detail, numbers }
}
