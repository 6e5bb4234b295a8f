import { codesDialling, numberingOf, zeroAfter } from './calling-codes.ts'
import { writtenNumber } from './written-number.ts'

const E164 = /^\+[1-9]\d{7,14}$/
const MIN_NATIONAL_DIGITS = 9

/**
 * The number in E.164, or null when it is none (G14, M47): a leading zero is a number of `country` (ISO 3166 alpha-2), and so are digits that begin
 * with its calling code and have at least nine more; else it begins with a `+` or `00`. Whether the number is in use is not checked.
 */
export function normalizePhone(raw: string, country: string): string | null {
  const written = writtenNumber(raw)
  const number = written.startsWith('+') ? written : ofCountry(written, country)
  return number !== null && E164.test(number) ? number : null
}

/** National numbers with more digits begin with a calling code, as far as anyone can tell. */
const MAX_NATIONAL_DIGITS = 10

/** Like `normalizePhone`, for a number that a network of the country writes: digits without a leading zero may be a whole national number too. */
export function networkPhone(raw: string, country: string, isNational: boolean): string | null {
  const known = normalizePhone(raw, country)
  const numbering = numberingOf(country.toUpperCase())
  if (known !== null || numbering === undefined) return known
  const digits = writtenNumber(raw)
  const fits = isNational ? /^[1-9]\d{5,12}$/ : /^[1-9]\d+$/
  const isWhole = digits.length >= MIN_NATIONAL_DIGITS && digits.length <= MAX_NATIONAL_DIGITS
  return fits.test(digits) && (isNational || isWhole) ? normalizePhone(`+${numbering.callingCode}${digits}`, country) : null
}

/** A number with a zero in front, as it is dialled in the country of `other`, which is in E.164; null where that tells no country. */
export function phoneBeside(raw: string, other: string): string | null {
  const written = writtenNumber(raw)
  const code = /^\+\d/.test(other) ? (zeroAfter(other.slice(1))?.code ?? '') : ''
  if (code === '' || !/^0\d+$/.test(written)) return null
  const number = writtenNumber(`+${code}${written}`)
  return E164.test(number) ? number : null
}

const DIALLED = /^0\d{7,13}$/

/** A number as it is dialled inside a country that is not known: the digits with their zero; null for what is none. */
export function dialledNumber(raw: string): string | null {
  const written = writtenNumber(raw)
  return DIALLED.test(written) ? written : null
}

/** Every number in E.164 that is dialled like that in its country. */
export function numbersDialled(dialled: string): readonly string[] {
  const numbers = codesDialling(dialled).map((code) => writtenNumber(`+${code}${dialled}`))
  return [...new Set(numbers)].filter((number) => E164.test(number))
}

/** A number in E.164 as it is dialled inside its country. */
export function asDialled(number: string): string {
  const { code, drops } = zeroAfter(number.slice(1)) ?? { code: '', drops: '' }
  return `${drops ?? ''}${number.slice(1 + code.length)}`
}

const ofCountry = (digits: string, country: string): string | null => {
  const numbering = numberingOf(country.toUpperCase())
  if (numbering === undefined) return null
  const { callingCode, trunk } = numbering
  if (digits.startsWith('0')) return trunk !== null && digits.startsWith(trunk) ? writtenNumber(`+${callingCode}${digits}`) : null
  return digits.startsWith(callingCode) && digits.length >= callingCode.length + MIN_NATIONAL_DIGITS ? writtenNumber(`+${digits}`) : null
}
