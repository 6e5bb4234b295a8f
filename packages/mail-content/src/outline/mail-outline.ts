import type { MergedText } from '@tidings/domain'
import { isAddressItself, textOfHtml } from '../html/text-of-html.ts'
import type { Tracking } from '../links/track-html.ts'
import { fits, holeKinds } from './hole-kinds.ts'
import { filledText, type HoledText, holedText, mailSource } from './mail-source.ts'
import { outlinedHtml } from './outlined-html.ts'

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

/** Gives the text part; null where a link with these values reads as its address, or no longer does. */
type OutlinedText = (values: readonly string[]) => string | null

/** A link that holds values: what it reads, and where it leads. */
type HoledLink = Readonly<{ label: HoledText; address: HoledText; isItself: boolean }>

const BEYOND_ASCII = /\P{ASCII}/u

/** `html`: of an outline, with its marks. */
function outlinedText(html: string): OutlinedText {
  const links: HoledLink[] = []
  let isReadable = true
  const text = holedText(
    textOfHtml(html, (readAs, leadsTo) => {
      const [label, address] = [holedText(readAs), holedText(leadsTo)]
      if (hasHoles(label) || hasHoles(address)) links.push({ label, address, isItself: isAddressItself(readAs, leadsTo) })
      // Such an address is put into ASCII as a whole.
      if (hasHoles(address) && BEYOND_ASCII.test(leadsTo)) isReadable = false
    }),
  )
  if (!isReadable) return () => null
  return (values) => {
    const asRead = links.every(
      ({ label, address, isItself }) => isAddressItself(filledText(label, values), filledText(address, values)) === isItself,
    )
    return asRead ? filledText(text, values) : null
  }
}

const hasHoles = (text: HoledText): boolean => text.some((part) => typeof part === 'number')
