import { createHash } from 'node:crypto'
import { smsParts } from '@tidings/domain'
import { gsm7Codes } from './gsm7-bytes.ts'

/** What goes into one `submit_sm`: `bytes` is the short_message, with its user data header where `hasHeader`. */
export type SmsPart = Readonly<{ bytes: Buffer; hasHeader: boolean }>
export type EncodedParts = Readonly<{ dataCoding: 0 | 8; parts: readonly SmsPart[] }>

/** The total is one byte of the header. */
export const MAX_PARTS = 255

/**
 * A text in the parts that are counted and priced (`smsParts`), as bytes with the header by which a handset puts them together (3GPP TS 23.040 §9.2.3.24.1). The
 * 8-bit reference follows from `messageId`: a message that is sent again completes on a handset that has some of its parts already.
 */
export function partsOf(messageId: string, body: string): EncodedParts {
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
