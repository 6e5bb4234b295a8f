import type { Problem } from './problems.ts'

/** These belong to the envelope, or must never stand in it (contract: Errors). */
const RESERVED = new Set(['success', 'message', 'code', 'statusCode', 'error'])

const isShowable = (value: unknown): boolean =>
  value === null ||
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((v) => typeof v === 'string'))

/** The error envelope as text: message, code where there is one, and the context that is scalar or a list of strings. */
export function errorBody({ message, code, extra }: Problem): string {
  const body: Record<string, unknown> = { success: false, message }
  if (code !== undefined) body.code = code
  for (const [key, value] of Object.entries(extra ?? {})) {
    if (!RESERVED.has(key) && isShowable(value)) body[key] = value
  }
  return JSON.stringify(body)
}
