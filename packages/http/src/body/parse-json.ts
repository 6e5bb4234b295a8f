import { isUtf8 } from 'node:buffer'
import { invalidRequest } from '../errors/problems.ts'
import { hasBackslashName } from './backslash-names.ts'
import { hasMoreValuesThan } from './count-values.ts'
import { mayHoldInvalidText } from './invalid-text.ts'

/** A parsed body. `suspect`: its text may hold what `findInvalidText` refuses, to be looked at once the caller is known. */
export type ParsedBody = Readonly<{ value: unknown; suspect: boolean }>

/** A value costs up to 60 bytes of heap, and the walk of every rule: 8 MiB of `{},` would be 180 MiB and more than a second. */
const MAX_VALUES = 100_000

const EMPTY: ParsedBody = { value: undefined, suspect: false }

/** Two searches of the text spare nearly every body the walk. */
const mayHoldBackslash = (json: string): boolean => json.includes('\\\\') || /\\u005c/i.test(json)

const notJson = (): Error => invalidRequest('Request body is not valid JSON')

/** JSON.parse that takes only objects and arrays, like Express; no bytes are `undefined`. Throws a 400. */
export function parseJson(bytes: Buffer): ParsedBody {
  if (bytes.length === 0) return EMPTY
  if (!isUtf8(bytes)) throw notJson()
  if (hasMoreValuesThan(bytes, MAX_VALUES)) throw invalidRequest('Request body has too many values')
  const text = bytes.toString()
  if (mayHoldBackslash(text) && hasBackslashName(bytes)) throw invalidRequest('Request contains invalid characters')
  const value = parse(text)
  if (typeof value !== 'object' || value === null) throw notJson()
  return { value, suspect: mayHoldInvalidText(text) }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw notJson()
  }
}
