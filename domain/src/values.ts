/** An own enumerable property, or undefined: keys come from outside, `constructor` and `__proto__` are ordinary words. */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** Length as UTF-8 in bytes; a lone surrogate counts as the three bytes of its replacement. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    if (unit < 0x800) bytes += 1
    else if (isPair(text, i)) {
      bytes += 2
      i++
    } else bytes += 2
  }
  return bytes
}

const isPair = (text: string, at: number): boolean => {
  const code = text.codePointAt(at)
  return code !== undefined && code > 0xffff
}

/** Equal as JSON values: object keys in any order, arrays in order. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && sameItems(a, b)
  const left = Object.entries(a)
  if (left.length !== Object.keys(b).length) return false
  const right = new Map<string, unknown>(Object.entries(b))
  return left.every(([key, value]) => right.has(key) && sameJson(value, right.get(key)))
}

const sameItems = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, i) => sameJson(item, b[i]))
