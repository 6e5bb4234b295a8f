import { isUtf8 } from 'node:buffer'
import { inexactNumber } from '@tidings/domain'
import { invalidRequest } from '../errors/problems.ts'
import { mayContainInvalidText } from './invalid-text.ts'

const [COMMA, OPEN_ARRAY, OPEN_OBJECT, CLOSE_ARRAY, CLOSE_OBJECT] = [0x2c, 0x5b, 0x7b, 0x5d, 0x7d]

/**
 * Whether a JSON text contains more than `limit` values: array elements and object members together, of all levels. Nothing is built: a
 * container of n values has n - 1 commas, so every comma is one value, and so is every container that is not empty. Exact for valid
 * JSON; what is not, `JSON.parse` refuses. 8 MiB take 10 to 30 ms.
 */
export function hasMoreValuesThan(json: Uint8Array, limit: number): boolean {
  // The shortest value is a digit or a bracket and its comma or its other bracket: two bytes.
  if (json.length <= 2 * limit) return false
  let values = 0
  let opened = false
  for (let at = 0; at < json.length && values <= limit; at++) {
    const byte = json[at]!
    // JSON's blanks are all at or below the space; what else is there is not valid.
    if (byte <= SPACE) continue
    if (opened && byte !== CLOSE_ARRAY && byte !== CLOSE_OBJECT) values++
    opened = byte === OPEN_ARRAY || byte === OPEN_OBJECT
    if (byte === COMMA) values++
    else if (byte === QUOTE) at = endOfString(json, at + 1)
  }
  return values > limit
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The index of the quote that ends the string whose first byte is at `index`, or the length where it has no end. */
function endOfString(json: Uint8Array, index: number): number {
  let at = index
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return Math.min(at, json.length)
}

const [COLON, SPACE] = [0x3a, 0x20]
const WRITTEN = /\\\\|\\u005c/i

/**
 * Whether a member's name contains a backslash. Once V8 13.6 to 14.6 has parsed one, an escaped name of another text is read as that name, or as a
 * member less (https://github.com/nodejs/node/issues/63785): of any caller, for as long as the process lives. 8 MiB take as long as counting values.
 */
export function hasBackslashName(json: Buffer): boolean {
  for (let at = json.indexOf(QUOTE); at !== -1 && at < json.length; at = json.indexOf(QUOTE, at)) {
    const end = endOfString(json, at + 1)
    if (isName(json, end) && containsBackslash(json.subarray(at + 1, end))) return true
    at = end + 1
  }
  return false
}

const isName = (json: Buffer, end: number): boolean => {
  let at = end + 1
  while (at < json.length && json[at]! <= SPACE) at++
  return json[at] === COLON
}

const containsBackslash = (name: Buffer): boolean => name.includes(BACKSLASH) && WRITTEN.test(name.toString('latin1'))

/** A parsed body. `suspect`: its text may contain what `findInvalidText` refuses, to be looked at once the caller is known. */
export type ParsedBody = Readonly<{ value: unknown; suspect: boolean }>

/** A value costs up to 60 bytes of heap, and the walk of every rule: 8 MiB of `{},` would be 180 MiB and more than a second. */
const MAX_VALUES = 100_000

const EMPTY: ParsedBody = { value: undefined, suspect: false }

/** Two searches of the text spare nearly every body the walk. */
const mayContainBackslash = (json: string): boolean => json.includes('\\\\') || /\\u005c/i.test(json)

const notJson = (): Error => invalidRequest('Request body is not valid JSON')

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** RFC 8259 §8.1 lets a reader ignore it. */
const withoutMark = (body: Buffer): Buffer =>
  body[0] === BYTE_ORDER_MARK[0] && body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? body.subarray(3) : body

/**
 * JSON.parse that takes only objects and arrays, like Express; no bytes are `undefined`. Throws a 400, also for a number that would not be kept as
 * it is.
 */
export function parseJson(body: Buffer): ParsedBody {
  const bytes = withoutMark(body)
  if (bytes.length === 0) return EMPTY
  if (!isUtf8(bytes)) throw notJson()
  if (hasMoreValuesThan(bytes, MAX_VALUES)) throw invalidRequest('Request body has too many values')
  const text = bytes.toString()
  if (mayContainBackslash(text) && hasBackslashName(bytes)) throw invalidRequest('Request contains invalid characters')
  const value = parse(text)
  if (typeof value !== 'object' || value === null) throw notJson()
  const place = inexactNumber(text)
  if (place !== null) throw invalidRequest(`${place} is a number that cannot be kept exactly: send it as a text`)
  return { value, suspect: mayContainInvalidText(text) }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw notJson()
  }
}
