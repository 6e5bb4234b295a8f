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

/** How many septets a GSM-7 text takes: an extension character takes two. */
export function gsm7Length(text: string): number {
  let septets = 0
  for (const character of text) septets += GSM7_EXTENSION.has(character) ? 2 : 1
  return septets
}
