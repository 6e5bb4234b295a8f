/** The id of a part as it is stored and compared. */
export function normalizePartId(id: string): string {
  return id.toLowerCase()
}

/**
 * The ids that a receipt's id may stand for, itself first: an SMSC writes an id in hexadecimal in one place and in decimal in the other, and
 * numbers with leading zeros to eight or ten places. A converted one may be another message's.
 */
export function readingsOf(id: string): readonly string[] {
  const exact = normalizePartId(id)
  const bare = exact.replace(/^0+(?=.)/, '')
  const asHex = /^\d{1,20}$/.test(exact) ? BigInt(exact).toString(16) : null
  const asDecimal = /^[0-9a-f]{1,16}$/.test(exact) ? BigInt(`0x${exact}`).toString(10) : null
  const readings = [exact, bare, asHex, asDecimal].filter((reading) => reading !== null)
  return [...new Set(readings.flatMap((reading) => [reading, reading.padStart(8, '0'), reading.padStart(10, '0')]))]
}

/** Whether a number is among others: those of one subscriber, written nationally or internationally, end alike. */
export function isAmong(number: string, others: readonly string[]): boolean {
  const end = digitsOf(number).slice(-7)
  return end !== '' && others.some((other) => digitsOf(other).endsWith(end))
}

const digitsOf = (number: string): string => number.replace(/\D/g, '')
