/** An own enumerable property, or undefined: keys come from outside, `constructor` and `__proto__` are ordinary words. */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** Nothing below has another canonical form. */
const MAY_BE_DECOMPOSED = /[\u0300-\uffff]/

/**
 * More marks on one letter than any language has (UAX #15, Stream-Safe Text Format). NFC sorts the marks of a letter, in a time that is quadratic
 * in their number: a million of them would block the process for minutes.
 */
const TOO_MANY_MARKS = /\p{M}{31}/u

const BEYOND_ASCII = /\P{ASCII}/u

/**
 * The text in NFC: the form in which names, tags, properties and what is searched for are stored and compared (M46). One with more than 30 marks on a
 * letter is no word of anybody, and stays as it is.
 */
export function inNfc(text: string): string {
  return MAY_BE_DECOMPOSED.test(text) && !TOO_MANY_MARKS.test(text) ? text.normalize('NFC') : text
}

/** Blanks, control characters, what Unicode calls ignorable, such as marks of direction, and a braille pattern without dots. */
const UNSEEN = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** Whether a reader sees anything of the text. A name that shows nothing is no name. */
export function isVisible(text: string): boolean {
  return !UNSEEN.test(text)
}

/** Every text and key of a JSON value in NFC; of two keys that are one then, the last is kept. What is in NFC already is given back as it is. */
export function jsonInNfc(value: unknown): unknown {
  if (typeof value === 'string') return inNfc(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map(jsonInNfc)
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  const entries = Object.entries(value)
  const changed = entries.map(([key, one]) => [inNfc(key), jsonInNfc(one)] as const)
  return changed.some(([key, one], at) => key !== entries[at]?.[0] || one !== entries[at]?.[1]) ? Object.fromEntries(changed) : value
}

/** Like `ownValue`, by the canonical form of the key: a value that was stored before M46 may have its key in another form. */
export function valueNamed<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return valuesNamed(record)(key)
}

/** The same for many keys of one record: it is looked through once, however many keys it lacks. */
export function valuesNamed<T>(record: Readonly<Record<string, T>>): (key: string) => T | undefined {
  let byForm: ReadonlyMap<string, string> | undefined
  return (key) => {
    if (Object.hasOwn(record, key) || !BEYOND_ASCII.test(key)) return ownValue(record, key)
    byForm ??= new Map(
      Object.keys(record)
        .toReversed()
        .map((one) => [inNfc(one), one]),
    )
    const known = byForm.get(inNfc(key))
    return known === undefined ? undefined : record[known]
  }
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
