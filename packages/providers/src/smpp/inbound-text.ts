import { decodeGsm7 } from './gsm7-bytes.ts'
import type { IncomingPdu } from './pdu.ts'

/** The message of a part and its number; null for a message that is whole. */
type PartNumber = Readonly<{ reference: number; total: number; number: number }>
export type InboundPart = Readonly<{ dataCoding: number; bytes: Buffer; partNumber: PartNumber | null }>

const UDH_INDICATOR = 0x40
const CONCATENATED_8_BIT = 0x00
const CONCATENATED_16_BIT = 0x08

/** The bytes of a deliver_sm or data_sm without their header, and its place by header or by the sar TLVs. */
export function inboundPart(pdu: IncomingPdu): InboundPart {
  const dataCoding = pdu.int('data_coding') ?? 0
  const short = pdu.bytes('short_message')
  const whole = short.length > 0 ? short : pdu.bytes('message_payload')
  if (((pdu.int('esm_class') ?? 0) & UDH_INDICATOR) === 0 || whole.length === 0)
    return { dataCoding, bytes: whole, partNumber: sarPartNumber(pdu) }
  const end = Math.min((whole[0] ?? 0) + 1, whole.length)
  return { dataCoding, bytes: whole.subarray(end), partNumber: headerPartNumber(whole.subarray(1, end)) }
}

function sarPartNumber(pdu: IncomingPdu): PartNumber | null {
  const reference = pdu.int('sar_msg_ref_num')
  return reference === null
    ? null
    : checked({ reference, total: pdu.int('sar_total_segments') ?? 0, number: pdu.int('sar_segment_seqnum') ?? 0 })
}

/** Elements are a kind, a length and so many bytes. */
function headerPartNumber(header: Buffer): PartNumber | null {
  for (let at = 0; at + 2 <= header.length; at += 2 + (header[at + 1] ?? 0)) {
    const element = header.subarray(at + 2, at + 2 + (header[at + 1] ?? 0))
    const [a = 0, b = 0, c = 0, d = 0] = element
    if (header[at] === CONCATENATED_8_BIT && element.length === 3) return checked({ reference: a, total: b, number: c })
    if (header[at] === CONCATENATED_16_BIT && element.length === 4) return checked({ reference: a * 256 + b, total: c, number: d })
  }
  return null
}

const checked = (partNumber: PartNumber): PartNumber | null =>
  partNumber.total > 1 && partNumber.number >= 1 && partNumber.number <= partNumber.total ? partNumber : null

/** Parts of one coding are decoded together: a surrogate pair or an escape sequence may be cut between them. */
export function decodeParts(parts: readonly InboundPart[]): string {
  const coding = parts[0]?.dataCoding ?? 0
  if (parts.every(({ dataCoding }) => dataCoding === coding)) return decodeText(coding, Buffer.concat(parts.map(({ bytes }) => bytes)))
  return parts.map(({ dataCoding, bytes }) => decodeText(dataCoding, bytes)).join('')
}

/** data_coding (SMPP 3.4 §5.2.19). What is binary or unknown is read byte by byte. */
const CHARSETS: ReadonlyMap<number, string> = new Map([
  [0x05, 'shift_jis'],
  [0x06, 'iso-8859-5'],
  [0x07, 'iso-8859-8'],
  [0x0e, 'euc-kr'],
])
const UCS2 = 0x08

export function decodeText(dataCoding: number, bytes: Buffer): string {
  // Two bits hold the alphabet if there is a message class (3GPP TS 23.038 §4).
  const isClassed = dataCoding >= 0xf0
  if (dataCoding === 0 || (isClassed && (dataCoding & 0x04) === 0)) return decodeGsm7(bytes)
  if (dataCoding === UCS2 || (dataCoding >= 0x10 && !isClassed && (dataCoding & 0x0c) === 0x08)) {
    return Buffer.from(bytes.subarray(0, bytes.length & ~1))
      .swap16()
      .toString('utf16le')
  }
  const charset = CHARSETS.get(dataCoding)
  return charset === undefined ? bytes.toString('latin1') : new TextDecoder(charset).decode(bytes)
}
