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

/** A number with fewer digits names no subscriber: it is a short code, or a sender that is a name. */
const MIN_DIGITS = 7

/** Those of the numbers that could be a subscriber's, as digits without the zeros in front, which are a trunk's or an exchange's. */
export function subscribersAmong(numbers: readonly string[]): readonly string[] {
  return numbers.map((number) => number.replace(/\D/g, '').replace(/^0+/, '')).filter(({ length }) => length >= MIN_DIGITS)
}

/** Whether a number in E.164 is one of them: whole, or written nationally, so that it ends with it. */
export function isAmong(number: string, subscribers: readonly string[]): boolean {
  const whole = number.replace(/\D/g, '')
  return subscribers.some((one) => whole === one || (whole.length > one.length && whole.endsWith(one)))
}
