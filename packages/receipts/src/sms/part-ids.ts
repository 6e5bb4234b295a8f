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

/** What a receipt says of whose it is. `whole`: digits without the zeros in front, which are a trunk's or an exchange's; `masked`: numbers of which it shows some digits. */
type Subscribers = Readonly<{ whole: readonly string[]; masked: readonly RegExp[] }>

/** Those of the numbers that could be a subscriber's. */
export function subscribersAmong(numbers: readonly string[]): Subscribers {
  const plain = numbers.filter((number) => !MASKED.test(number))
  const whole = plain.map((number) => number.replace(/\D/g, '').replace(/^0+/, '')).filter(({ length }) => length >= MIN_DIGITS)
  return { whole, masked: numbers.flatMap((number) => maskOf(number) ?? []) }
}

/** Gateways hide digits of a number for privacy: `97250****567`, `XXXXXXX4567`. The mask need not be as long as what it hides. */
const MASKED = /^\+?(?=[\d*xX#?]{7,20}$)(?=.*\d)\d*[*xX#?]{2,}[\d*xX#?]*$/

function maskOf(number: string): RegExp | null {
  if (!MASKED.test(number)) return null
  const shown = number
    .replace(/^\+/, '')
    .replace(/^0+/, '')
    .split(/[*xX#?]+/)
  // A number that is written nationally has its calling code in E.164.
  return new RegExp(`^\\d{0,3}${shown.join('\\d*')}$`)
}

/** Whether a number in E.164 is one of them: whole, or written nationally, so that it ends with it, or one of those that a masked one may be. */
export function isAmong(number: string, { whole: subscribers, masked }: Subscribers): boolean {
  const whole = number.replace(/\D/g, '')
  if (masked.some((mask) => mask.test(whole))) return true
  return subscribers.some((one) => whole === one || (whole.length > one.length && whole.endsWith(one)))
}
