import { randomUUID } from 'node:crypto'
import { isoNow } from '@tidings/async/clock'
import { LRUCache } from 'lru-cache'
import type { InboundSms } from '../sms/port.ts'
import { readAddress } from './address.ts'
import { decodeParts, type InboundPart, inboundPart } from './inbound-text.ts'
import type { IncomingPdu } from './pdu.ts'

type PartsByNumber = Map<number, InboundPart>

/** Bounds of what waits for its other parts. */
const MAX_BYTES = 4 * 1_048_576
const MAX_MESSAGES = 1_000
const MAX_AGE_MS = 10 * 60_000
/** What a part takes beside its bytes. */
const PART_OVERHEAD = 200

/**
 * Puts inbound messages together. Parts are answered as they come, because an SMSC may wait for that before it sends the next: they are lost
 * with the process, or after 10 minutes, or when they exceed 4 MB or 1 000 messages. `onDropped` gets a sentence for each message lost.
 */
export class InboundMessages {
  readonly #waiting: LRUCache<string, PartsByNumber>
  readonly #country: string | null

  constructor(onDropped: (sentence: string) => void, country: string | null) {
    this.#country = country
    this.#waiting = new LRUCache({
      max: MAX_MESSAGES,
      maxSize: MAX_BYTES,
      sizeCalculation: (parts: PartsByNumber) => [...parts.values()].reduce((size, { bytes }) => size + bytes.length + PART_OVERHEAD, 0),
      ttl: MAX_AGE_MS,
      ttlResolution: 0,
      ttlAutopurge: true,
      dispose: (parts, _, reason) => {
        if (reason === 'evict' || reason === 'expire')
          onDropped(`An inbound message lost ${parts.size} parts: the others did not come in time.`)
      },
    })
  }

  /** Passes the message on when it is whole. Keeps its parts where `pass` rejects, so that the last part can be repeated. */
  async take(pdu: IncomingPdu, pass: (message: InboundSms) => Promise<void>): Promise<void> {
    const part = inboundPart(pdu)
    if (part.partNumber === null) return await pass(messageOf(pdu, [part], this.#country))
    const { reference, total, number } = part.partNumber
    const key = [pdu.text('source_addr'), pdu.text('destination_addr'), reference, total].join(' ')
    const parts: PartsByNumber = new Map(this.#waiting.get(key)).set(number, { ...part, bytes: Buffer.from(part.bytes) })
    this.#waiting.set(key, parts)
    if (parts.size < total) return
    await pass(
      messageOf(
        pdu,
        [...parts].sort(([a], [b]) => a - b).map(([, one]) => one),
        this.#country,
      ),
    )
    this.#waiting.delete(key)
  }

  close(): void {
    this.#waiting.clear()
  }
}

/** SMPP gives an inbound message no id. */
function messageOf(pdu: IncomingPdu, parts: readonly InboundPart[], country: string | null): InboundSms {
  return {
    providerMessageId: pdu.text('receipted_message_id') || randomUUID(),
    from: readAddress(pdu.text('source_addr'), pdu.int('source_addr_ton'), country),
    to: readAddress(pdu.text('destination_addr'), pdu.int('dest_addr_ton'), country),
    body: decodeParts(parts),
    at: isoNow(),
  }
}
