import { randomBytes } from 'node:crypto'
import type { MergedText } from '@tidings/domain'

/** No author can know it, and so write one, in whatever pieces. */
const UNKNOWN = randomBytes(8).toString('hex')
/** What stands for a text that was merged in: letters and digits, which are read in html as those of its value would be. */
const TEXT_MARK = `zq${UNKNOWN}h`
/** The same where an address begins. */
const ADDRESS_MARK = `zq${UNKNOWN}a`
const END = 'q'

/** A place of a value in the html of an outline. */
export type Hole = Readonly<{ from: number; to: number }>

/** The html of a mail with a mark for each text that was merged in, and the places of these marks. */
export type MailSource = Readonly<{ html: string; holes: readonly Hole[] }>

const ADDRESS_BEFORE = /[\s/"']href\s*=\s*["']$/i
/** So far back the name of an attribute is looked for. */
const NAME_LENGTH = 20

/** The html of a mail that was merged of these pieces. */
export function mailSource(pieces: MergedText, template: string): MailSource {
  const holes: Hole[] = []
  let html = ''
  let before = ''
  for (const piece of pieces) {
    const from = html.length
    if (typeof piece !== 'string') {
      html += template.slice(piece[0], piece[1])
      before = template.slice(Math.max(piece[0], piece[1] - NAME_LENGTH), piece[1])
    } else {
      html += `${ADDRESS_BEFORE.test(before) ? `https://${ADDRESS_MARK}` : TEXT_MARK}${holes.length}${END}`
      holes.push({ from, to: html.length })
      before = ''
    }
  }
  return { html, holes }
}

/** A text that comes from an outline: what never changes, and the numbers of the holes between. */
export type HoledText = readonly (string | number)[]

const MARKS = new RegExp(`(?:https://${ADDRESS_MARK}|${TEXT_MARK})(\\d+)${END}`)

/** Finds the marks in a text that was made of the html of an outline. */
export function holedText(text: string): HoledText {
  return text
    .split(MARKS)
    .map((part, n) => (n % 2 === 0 ? part : Number(part)))
    .filter((part) => part !== '')
}

/** The text with the values in their places. */
export function filledText(text: HoledText, values: readonly string[]): string {
  let filled = ''
  for (const part of text) filled += typeof part === 'string' ? part : (values[part] ?? '')
  return filled
}
