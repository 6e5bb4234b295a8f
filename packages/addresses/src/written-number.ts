import { zeroAfter } from './calling-codes.ts'

const BEYOND_ASCII = /\P{ASCII}/u
/** Spaces, what only steers how text is laid out, hyphens, slashes and dots of every script (M47). */
const BETWEEN_DIGITS = /[\p{White_Space}\p{Cf}\p{Pd}\u2212\u2043/\u2044\u2215\uff0f.\uff0e]/gu
const PLUS = /[\uff0b\ufe62]/gu
const OPENING = /\uff08/g
const CLOSING = /\uff09/g
const DIGITS = /\p{Nd}/gu
const DIGIT = /\p{Nd}/u
/** Every parenthesis but those of a `(0)`. */
const OTHER_PARENTHESES = /\((?!0\))|(?<!\(0)\)/g
const TRUNK_BEHIND_CODE = /^\+([1-9]\d{0,2})\(0\)/

/** This is longer than any meant spelling of 15 digits. */
const MAX_READ = 256

/**
 * A number as somebody wrote it, in the characters of E.164: digits of every script are digits, what stands between them is left out, and a leading
 * `00` is a `+`. The zero that is dialled only inside a country is not behind its calling code (`+44 (0)20`, `+9720521234567`). What is neither a
 * digit nor a `+` stays, so that the text is no number; so does a zero where none can be.
 */
export function writtenNumber(raw: string): string {
  if (raw.length > MAX_READ) return ''
  const plain = (BEYOND_ASCII.test(raw) ? inAscii(raw) : raw).replace(BETWEEN_DIGITS, '').replace(OTHER_PARENTHESES, '')
  const text = plain.startsWith('00') ? `+${plain.slice(2)}` : plain
  return text.startsWith('+') ? withoutTrunk(text) : withoutParentheses(text)
}

/** A typed text of digits, such as a passcode: digits of every script, without the signs between them. Other characters stay. */
export function writtenDigits(raw: string): string {
  if (raw.length > MAX_READ) return ''
  return (BEYOND_ASCII.test(raw) ? inAscii(raw) : raw).replace(BETWEEN_DIGITS, '')
}

const NO_CODE = { code: '', drops: '' } as const

/** A `(0)` that is no part of the numbers of a country is left out, even where the country drops no plain zero. */
const withoutTrunk = (text: string): string => {
  const written = TRUNK_BEHIND_CODE.exec(text)?.[1] ?? ''
  const { code, drops } = zeroAfter(written) ?? NO_CODE
  const isNone = code === written && code !== '' && (drops === null || drops.length > 1)
  return zeroDropped(withoutParentheses(isNone ? text.replace('(0)', '') : text))
}

/** Once: a number with a second zero is none. */
const zeroDropped = (number: string): string => {
  const { code, drops } = zeroAfter(number.slice(1)) ?? NO_CODE
  const national = number.slice(1 + code.length)
  if (!drops || !national.startsWith(drops)) return number
  const rest = national.slice(drops.length)
  return rest.startsWith('0') ? '' : `+${code}${rest}`
}

const withoutParentheses = (text: string): string => text.replace(/[()]/g, '')

const inAscii = (raw: string): string =>
  raw
    .replace(PLUS, '+')
    .replace(OPENING, '(')
    .replace(CLOSING, ')')
    .replace(DIGITS, (digit) => String(digitOf(digit.codePointAt(0) ?? 0)))

/** The digits of a script stand in a row, from zero to nine (Unicode §4.6); rows without a gap between them are whole rows. */
const digitOf = (codePoint: number): number => {
  let first = codePoint
  while (first > 0 && DIGIT.test(String.fromCodePoint(first - 1))) first--
  return (codePoint - first) % 10
}

const ISRAELI_MOBILE = /^\+9725\d{8}$/

/**
 * The Israeli mobile number in E.164 that a passcode can go to, or null (POST /otp/send): the spellings are those of every number (M47), but the
 * country code is not completed (G14).
 */
export function normalizeMobilePhone(raw: string): string | null {
  const number = writtenNumber(raw)
  return ISRAELI_MOBILE.test(number) ? number : null
}
