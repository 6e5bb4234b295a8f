/**
 * The parser spends some 15 µs on a line, however short: 256 KiB of line ends blocked the event loop for four seconds. A report says what it has
 * to say in its first hundreds of lines; the mail that it gives back comes behind them.
 */
export const MAX_LINES = 2_000

const LINE_FEED = 0x0a

/** The beginning of a mail, of at most `MAX_LINES` lines; null where its headers alone are more, as those of no report are. */
export function boundedShape(raw: Buffer): Buffer | null {
  let end = -1
  for (let line = 0; line < MAX_LINES; line++) {
    end = raw.indexOf(LINE_FEED, end + 1)
    if (end === -1) return raw
  }
  const beginning = raw.subarray(0, end + 1)
  return beginning.includes('\n\n') || beginning.includes('\n\r\n') ? beginning : null
}

/** The decoded part is bounded again where it is read: base64 makes two thousand lines of text into a hundred thousand. */
const MAX_PART = 16_384

/** The beginning of the text of a part, as it is once decoded: its first 16 384 characters, of at most `MAX_LINES` lines. */
export function boundedPart(text: string): string {
  return text.slice(0, MAX_PART).split('\n', MAX_LINES).join('\n')
}

/** Breaks that a header, or the encoding of a part, may put into an address. */
const SOFT_BREAKS = /=\r?\n|\r?\n[ \t]/g
const ENCODED = /base64/i

/**
 * Whether a mail may name a message of ours at all, by its text and before it is parsed: `isOurs` finds a tag in a text. One with a part that hides its
 * text may.
 */
export function mayBeOurs(raw: Buffer, isOurs: (text: string) => boolean): boolean {
  const text = raw.toString('latin1')
  return isOurs(text.replaceAll(SOFT_BREAKS, '')) || isOurs(text) || ENCODED.test(text)
}
