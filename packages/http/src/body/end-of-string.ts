export const QUOTE = 0x22
export const BACKSLASH = 0x5c

/** The index of the quote that ends the string whose first byte is at `index`, or the length where it has no end. */
export function endOfString(json: Uint8Array, index: number): number {
  let at = index
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return Math.min(at, json.length)
}
