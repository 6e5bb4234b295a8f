import { isUtf8 } from 'node:buffer'
import { invalidRequest } from '../errors/problems.ts'
import { mayHoldInvalidText } from './invalid-text.ts'

/** A parsed body. `suspect`: its text may hold what `findInvalidText` refuses, to be looked at once the caller is known. */
export type ParsedBody = Readonly<{ value: unknown; suspect: boolean }>

const EMPTY: ParsedBody = { value: undefined, suspect: false }

const notJson = (): Error => invalidRequest('Request body is not valid JSON')

/** JSON.parse that takes only objects and arrays, like Express; no bytes are `undefined`. Throws a 400. */
export const parseJson = (bytes: Buffer): ParsedBody => {
  if (bytes.length === 0) return EMPTY
  if (!isUtf8(bytes)) throw notJson()
  const text = bytes.toString()
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
