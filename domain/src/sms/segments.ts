/** The GSM 7-bit default alphabet (3GPP TS 23.038 §6.2.1): a character's place is its code. 0x1B is the escape to the extension table. */
export const GSM7_BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

/** The extension table (§6.2.1.1): these take two places, the escape and this code. */
export const GSM7_EXTENSION: ReadonlyMap<string, number> = new Map([
  ['\f', 0x0a],
  ['^', 0x14],
  ['{', 0x28],
  ['}', 0x29],
  ['\\', 0x2f],
  ['[', 0x3c],
  ['~', 0x3d],
  [']', 0x3e],
  ['|', 0x40],
  ['€', 0x65],
])

const BASIC: ReadonlySet<string> = new Set([...GSM7_BASIC].filter((character) => character !== '\u001b'))

/** Whether the text can be sent in the GSM 7-bit alphabet with its extension table. */
export function isGsm7(text: string): boolean {
  for (const character of text) if (!BASIC.has(character) && !GSM7_EXTENSION.has(character)) return false
  return true
}

/** Counts the septets of a GSM-7 text: an extension character takes two. */
export function gsm7Length(text: string): number {
  let septets = 0
  for (const character of text) septets += GSM7_EXTENSION.has(character) ? 2 : 1
  return septets
}

/** The size of a part: septets, or UTF-16 code units. `each`: of several, whose header takes 7 septets or 3 code units (3GPP TS 23.040 §9.2.3.24.1). */
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

/** Counts the segments of a text message, at least one (G34). */
export function smsSegments(body: string): number {
  // A text of so few characters is one part in either alphabet.
  return body.length <= ROOM.ucs2.one ? 1 : smsParts(body).parts.length
}

const UNITS_A_CREDIT = 268

/** Prices a text message in credits, at least one: its septets, or twice its UTF-16 code units where it is not GSM-7, by 268 (G33). */
export function smsCredits(body: string): number {
  const units = isGsm7(body) ? gsm7Length(body) : body.length * 2
  return Math.max(1, Math.ceil(units / UNITS_A_CREDIT))
}
