import { GSM7_EXTENSION, isGsm7 } from './gsm7.ts'

/** What a part holds: septets, or UTF-16 code units. `each`: of several, whose header takes 7 septets or 3 code units (3GPP TS 23.040 §9.2.3.24.1). */
const ROOM = { gsm7: { one: 160, each: 153 }, ucs2: { one: 70, each: 67 } } as const

export type SmsParts = Readonly<{ alphabet: keyof typeof ROOM; parts: readonly string[] }>

/**
 * A text as it leaves, in the parts that a handset puts together again: in GSM-7 where every character is in its tables, else in UCS-2. No part begins in
 * the middle of an escape sequence or of a surrogate pair, so a part may stay short of what it holds. What is counted and priced by
 * segments is what is sent (G34).
 */
export function smsParts(body: string): SmsParts {
  const alphabet = isGsm7(body) ? 'gsm7' : 'ucs2'
  const { one, each } = ROOM[alphabet]
  const parts: string[] = []
  let from = 0
  let at = 0
  let length = 0
  let total = 0
  for (const character of body) {
    const size = alphabet === 'ucs2' ? character.length : GSM7_EXTENSION.has(character) ? 2 : 1
    if (length + size > each) {
      parts.push(body.slice(from, at))
      from = at
      length = 0
    }
    at += character.length
    length += size
    total += size
  }
  return { alphabet, parts: total <= one ? [body] : [...parts, body.slice(from)] }
}

/** How many segments a text message has, at least one (G34). */
export function smsSegments(body: string): number {
  // A text of so few characters is one part in either alphabet.
  return body.length <= ROOM.ucs2.one ? 1 : smsParts(body).parts.length
}
