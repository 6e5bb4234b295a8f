/** What JSON can spell and we do not take: `characters` that Postgres cannot store, or a key that reaches for a prototype. */
export type InvalidText = 'characters' | 'proto'

/** NUL, a surrogate, or a letter of `__proto__`: any of them can be written so. */
const ESCAPED = /\\u(?:0000|d[89a-f]|005f|006f|007[024])/i

/**
 * Whether a JSON text can contain what `findInvalidText` looks for at all. Raw control characters are no JSON and raw surrogates no UTF-8,
 * so both need an escape; two searches of the text (0.1 µs a kilobyte) spare nearly every body the walk.
 */
export function mayContainInvalidText(json: string): boolean {
  return json.includes('__proto__') || (json.includes('\\u') && ESCAPED.test(json))
}

const isBad = (text: string): boolean => text.includes('\0') || !text.isWellFormed()

/** Looks through every string and key of a parsed value; without recursion, so that no nesting is too deep for it. */
export function findInvalidText(root: unknown): InvalidText | undefined {
  const open: unknown[] = [root]
  let proto = false
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') {
      if (isBad(value)) return 'characters'
    } else if (Array.isArray(value)) {
      for (const item of value) open.push(item)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        if (isBad(key)) return 'characters'
        proto ||= key === '__proto__'
        open.push(item)
      }
    }
  }
  return proto ? 'proto' : undefined
}
