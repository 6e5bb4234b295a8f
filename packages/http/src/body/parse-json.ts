import { isUtf8 } from 'node:buffer'
import { inexactNumber } from '@tidings/domain'
import { invalidRequest } from '../errors/problems.ts'
import { hasBackslashName } from './backslash-names.ts'
import { hasMoreValuesThan } from './count-values.ts'
import { mayContainInvalidText } from './invalid-text.ts'

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
