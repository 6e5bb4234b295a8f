import { gsm7Length, isGsm7 } from './gsm7.ts'

const GSM7 = { one: 160, each: 153 }
const UCS2 = { one: 70, each: 67 }

/** How many segments a text message has, at least one: by septets, or by UTF-16 code units where it is not GSM-7 (G34). */
export function smsSegments(body: string): number {
  const [length, room] = isGsm7(body) ? [gsm7Length(body), GSM7] : [body.length, UCS2]
  return length <= room.one ? 1 : Math.ceil(length / room.each)
}
