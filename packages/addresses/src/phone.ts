import { numberingOf } from './calling-codes.ts'
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

const ofCountry = (digits: string, country: string): string | null => {
  const numbering = numberingOf(country.toUpperCase())
  if (numbering === undefined) return null
  const { callingCode, trunk } = numbering
  if (digits.startsWith('0')) return trunk !== null && digits.startsWith(trunk) ? writtenNumber(`+${callingCode}${digits}`) : null
  return digits.startsWith(callingCode) && digits.length >= callingCode.length + MIN_NATIONAL_DIGITS ? writtenNumber(`+${digits}`) : null
}
