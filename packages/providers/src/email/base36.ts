/** 128 bits in base 36, so many digits; a mail server may change their case (RFC 5321 §2.4 forbids it, and some do). */
export const UUID_DIGITS = 25

const RADIX = 36

/** Bytes as a number in base 36, in lower case, `digits` long. */
export function toBase36(bytes: Buffer, digits: number): string {
  return BigInt(`0x${bytes.toString('hex')}`)
    .toString(RADIX)
    .padStart(digits, '0')
}

/** A UUID as 25 digits. */
export function uuidToBase36(uuid: string): string {
  return toBase36(Buffer.from(uuid.replaceAll('-', ''), 'hex'), UUID_DIGITS)
}

/** The UUID that was encoded; null where the digits, of either case, are too great for one. */
export function uuidFromBase36(digits: string): string | null {
  const value = [...digits].reduce((sum, digit) => sum * BigInt(RADIX) + BigInt(Number.parseInt(digit, RADIX)), 0n)
  const hex = value.toString(16).padStart(32, '0')
  return hex.length === 32 ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : null
}
