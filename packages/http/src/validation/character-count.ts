/** The most UTF-16 units that one character takes: a surrogate pair and a variation selector. */
export const UNITS_A_CHARACTER = 3

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
const isSelector = (unit: number): boolean => unit === 0xfe0e || unit === 0xfe0f

/**
 * The length of a text as class-validator measures it (validator.js `isLength`): a surrogate pair is one character, and a variation
 * selector after another character is none.
 */
export function characterCount(text: string): number {
  let count = text.length
  for (let at = 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const before = text.charCodeAt(at - 1)
    if ((isLow(unit) && isHigh(before)) || (isSelector(unit) && !isSelector(before))) count--
  }
  return count
}
