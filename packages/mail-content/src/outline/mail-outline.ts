import type { MergedText } from '@tidings/domain'
import type { Tracking } from '../links/track-html.ts'
import { fits, holeKinds } from './hole-kinds.ts'
import { mailSource } from './mail-source.ts'
import { outlinedHtml } from './outlined-html.ts'
import { type OutlinedText, outlinedText } from './outlined-text.ts'

/** What the mails of a version of a template have in common, read once. `values`: what was merged in, in its order. */
export type MailOutline = Readonly<{
  /** False where one of them may change how the html around it is read: that mail is read by itself. */
  fits: (values: readonly string[]) => boolean
  /** The same as `trackHtml` gives, of values that fit. */
  html: (values: readonly string[], tracking: Tracking) => string
  /** The same as `textOfHtml` gives; null where a link would read in another way. */
  text: (values: readonly string[]) => string | null
}>

/** The work grows with this times the number of links. */
const MAX_PIECES = 2_000

/** Null where any value may change how the html is read. */
export function mailOutline(pieces: MergedText, template: string): MailOutline | null {
  if (pieces.length > MAX_PIECES) return null
  const source = mailSource(pieces, template)
  const kinds = holeKinds(source)
  if (kinds === null) return null
  let text: OutlinedText | undefined
  return {
    fits: (values) => kinds.every((kind, n) => fits(kind, values[n] ?? '')),
    html: outlinedHtml(source),
    text: (values) => {
      text ??= outlinedText(source.html)
      return text(values)
    },
  }
}
