import type { Span } from '../html/read-html.ts'
import { linkAddress } from '../links/link-address.ts'
import { findLinks, pixelImage, type Tracking } from '../links/track-html.ts'
import { filledText, type HoledText, type MailSource } from './mail-source.ts'

/** `address`: of a link without holes, null where it cannot be tracked. */
type OutlinedLink = Readonly<{ link: number; written: HoledText; address?: string | null }>
type HtmlPart = HoledText | OutlinedLink | 'pixel'

/** Tracks the links of a mail from an outline. */
type OutlinedHtml = (values: readonly string[], tracking: Tracking) => string

export function outlinedHtml(source: MailSource): OutlinedHtml {
  const parts = partsOf(source)
  return (values, { linkTo, pixel }) => {
    let html = ''
    for (const part of parts) {
      if (part === 'pixel') html += pixelImage(pixel)
      else if (isText(part)) html += filledText(part, values)
      else {
        const written = filledText(part.written, values)
        const address = part.address === undefined ? linkAddress(written) : part.address
        html += (address === null ? null : linkTo(address, part.link)) ?? written
      }
    }
    return html
  }
}

const isText = (part: HtmlPart): part is HoledText => Array.isArray(part)

const partsOf = (source: MailSource): readonly HtmlPart[] => {
  const { links, bodyEnd } = findLinks(source.html)
  const parts: HtmlPart[] = []
  let at = 0
  let pixelAt = bodyEnd
  const upTo = (end: number): void => {
    if (pixelAt !== null && pixelAt <= end) {
      parts.push(textOf(source, { from: at, to: pixelAt }), 'pixel')
      at = pixelAt
      pixelAt = null
    }
    parts.push(textOf(source, { from: at, to: end }))
    at = end
  }
  links.forEach((span, link) => {
    upTo(span.from)
    parts.push(linkOf(source, span, link))
    at = span.to
  })
  upTo(source.html.length)
  return parts
}

const linkOf = (source: MailSource, span: Span, link: number): OutlinedLink => {
  const written = textOf(source, span)
  const isFixed = written.every((part) => typeof part === 'string')
  return { link, written, ...(isFixed && { address: linkAddress(source.html.slice(span.from, span.to)) }) }
}

/** A piece of the html, with the numbers of its holes in place of their marks. */
const textOf = ({ html, holes }: MailSource, { from, to }: Span): HoledText => {
  const parts: (string | number)[] = []
  let at = from
  holes.forEach((hole, n) => {
    if (hole.from < from || hole.to > to) return
    parts.push(html.slice(at, hole.from), n)
    at = hole.to
  })
  parts.push(html.slice(at, to))
  return parts.filter((part) => part !== '')
}
