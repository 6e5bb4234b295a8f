import type { MergedContent, MergedText } from '@tidings/domain'
import { LRUCache } from 'lru-cache'
import { textOfHtml } from '../html/text-of-html.ts'
import { type Tracking, trackHtml } from '../links/track-html.ts'
import { joinedText } from '../merge/compiled-text.ts'
import type { EmailTexts } from '../merge/merged-email.ts'
import { type MailOutline, mailOutline } from './mail-outline.ts'

/** The outlines of a version: a tag whose value is empty leaves no place, so there may be several. */
type Outlines = readonly Readonly<{ shape: MergedText; outline: MailOutline | null }>[]

const MAX_OF_VERSION = 8
const MAX_CHARACTERS = 10_000_000

/** What versions of templates look like in any mail: nothing that was merged in. */
const known = new LRUCache<EmailTexts, Outlines>({
  maxSize: MAX_CHARACTERS,
  // Its html, of which all parts are, and its text part.
  sizeCalculation: (outlines, { html }) => 1 + outlines.length * 2 * (html?.length ?? 0),
})

/** A tracked mail and its text part. */
export type TrackedMail = Readonly<{ html: string; text: string }>

/** The same as the joined mail, tracked, and its own text or the one that its html gives; without reading the html of each mail again. */
export function trackedMail(merged: MergedContent, texts: EmailTexts, tracking: Tracking): TrackedMail {
  const text = merged.text === null ? null : joinedText(merged.text, texts.text ?? '')
  const outline = outlineOf(merged.html, texts)
  const values = merged.html.filter((piece) => typeof piece === 'string')
  const joined = (): string => joinedText(merged.html, texts.html ?? '')
  if (outline?.fits(values) !== true) return { html: trackHtml(joined(), tracking), text: text ?? textOfHtml(joined()) }
  return { html: outline.html(values, tracking), text: text ?? outline.text(values) ?? textOfHtml(joined()) }
}

/** Null for a mail that has to be read by itself. */
const outlineOf = (pieces: MergedText, texts: EmailTexts): MailOutline | null => {
  // Nothing of the template is in it.
  if (!pieces.some((piece) => typeof piece !== 'string')) return null
  const outlines = known.get(texts) ?? []
  const same = outlines.find(({ shape }) => hasShape(pieces, shape))
  if (same !== undefined) return same.outline
  if (outlines.length >= MAX_OF_VERSION) return null
  const outline = mailOutline(pieces, texts.html ?? '')
  known.set(texts, [...outlines, { shape: pieces.map((piece) => (typeof piece === 'string' ? '' : piece)), outline }])
  return outline
}

/** Whether both have the same pieces of the template, with something between them at the same places. */
const hasShape = (pieces: MergedText, shape: MergedText): boolean =>
  pieces.length === shape.length &&
  pieces.every((piece, n) => {
    const other = shape[n]
    if (typeof piece === 'string' || typeof other === 'string' || other === undefined) return typeof piece === typeof other
    return piece[0] === other[0] && piece[1] === other[1]
  })
