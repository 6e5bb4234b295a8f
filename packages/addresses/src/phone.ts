import { numberingOf } from './calling-codes.ts'

const E164 = /^\+[1-9]\d{7,14}$/
const MIN_NATIONAL_DIGITS = 9

/**
 * The number in E.164, or null when it is none (G14): spaces, hyphens, parentheses and dots do not count, a leading
 * `00` is a `+`, a leading zero is a number of `country` (ISO 3166 alpha-2), and so are digits that begin with its calling code and
 * have at least nine more. Whether the number is in use is not checked.
 */
export function normalizePhone(raw: string, country: string): string | null {
  const bare = raw.replace(/[\s().-]/g, '')
  const number = bare.startsWith('00') ? `+${bare.slice(2)}` : international(bare, country)
  return number !== null && E164.test(number) ? number : null
}

const international = (bare: string, country: string): string | null => {
  if (bare.startsWith('+')) return bare
  const numbering = numberingOf(country.toUpperCase())
  if (numbering === undefined) return null
  const { callingCode, trunk } = numbering
  if (bare.startsWith('0')) return trunk !== null && bare.startsWith(trunk) ? `+${callingCode}${bare.slice(trunk.length)}` : null
  return bare.startsWith(callingCode) && bare.length >= callingCode.length + MIN_NATIONAL_DIGITS ? `+${bare}` : null
}
