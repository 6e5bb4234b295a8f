import { createHash } from 'node:crypto'
import { isGsm7 } from '@tidings/domain'
import { gsm7Codes } from './gsm7-bytes.ts'

/** What goes into one `submit_sm`: `bytes` is the short_message, with its user data header where `hasHeader`. */
export type SmsPart = Readonly<{ bytes: Buffer; hasHeader: boolean }>
export type SmsParts = Readonly<{ dataCoding: 0 | 8; parts: readonly SmsPart[] }>

const GSM7 = { dataCoding: 0, single: 160, each: 153 } as const
/** In bytes: 70 and 67 code units. */
const UCS2 = { dataCoding: 8, single: 140, each: 134 } as const

/** The total is one byte of the header. */
export const MAX_PARTS = 255

/**
 * A text in the parts that a handset puts together again (3GPP TS 23.040 §9.2.3.24.1): GSM-7 where every character is in its tables, else
 * UCS-2. No part begins in the middle of an escape sequence or of a surrogate pair. The 8-bit reference follows from `messageId`: a message
 * that is sent again completes on a handset that has some of its parts already.
 */
export function partsOf(messageId: string, body: string): SmsParts {
  const form = isGsm7(body) ? GSM7 : UCS2
  const units = [...body].map((character) => (form === GSM7 ? Buffer.from(gsm7Codes(character)) : ucs2(character)))
  const whole = Buffer.concat(units)
  if (whole.length <= form.single) return { dataCoding: form.dataCoding, parts: [{ bytes: whole, hasHeader: false }] }
  const bodies = filled(units, form.each)
  const reference = createHash('sha256').update(messageId).digest()[0] ?? 0
  const headed = bodies.map((bytes, index) => ({
    bytes: Buffer.concat([Buffer.from([5, 0, 3, reference, bodies.length, index + 1]), bytes]),
    hasHeader: true,
  }))
  return { dataCoding: form.dataCoding, parts: headed }
}

const ucs2 = (character: string): Buffer => Buffer.from(character, 'utf16le').swap16()

function filled(units: readonly Buffer[], size: number): readonly Buffer[] {
  const parts: Buffer[] = []
  let part: Buffer[] = []
  let length = 0
  for (const unit of units) {
    if (length + unit.length > size) {
      parts.push(Buffer.concat(part))
      part = []
      length = 0
    }
    part.push(unit)
    length += unit.length
  }
  return [...parts, Buffer.concat(part)]
}
