import { scanTag } from './scan-tag.ts'

/** A piece of the html: from here, up to there. */
export type Span = Readonly<{ from: number; to: number }>

/**
 * Where a mail's links stand, each the span of its `href` between the quotes, and where its body ends: before the last `</body>`, else at the
 * end; null where that lies inside a tag that is never closed.
 */
export type Found = Readonly<{ links: readonly Span[]; bodyEnd: number | null }>

/** What stands in these is text, whatever it looks like (HTML standard, 13.2.5). */
const TEXT_ONLY = new Set(['script', 'style', 'title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes'])

/**
 * Finds the links of a mail as a mail program would: by tags and attributes, not in comments, scripts or styles. One pass, whatever is in
 * it. The package htmlparser2, which the tests compare this with, needs 8 MB for what is 100 lines here.
 */
export const findLinks = (html: string, most: number): Found => {
  const links: Span[] = []
  let bodyEnd: number | null = null
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    const code = html.charCodeAt(at + 1)
    if (!isLetter(code) && code !== SLASH) {
      at = code === BANG || code === QUESTION ? afterMarkup(html, at) : at + 1
      continue
    }
    const closing = code === SLASH
    if (closing && !isLetter(html.charCodeAt(at + 2))) {
      // `</>` is nothing, `</` and anything else a comment; at the very end it is text.
      at = behind(html, '>', at + 2)
      continue
    }
    const tag = scanTag(html, at + (closing ? 2 : 1))
    if (tag === null) return { links, bodyEnd }
    if (closing && tag.name === 'body') bodyEnd = at
    if (!closing && tag.href !== null && links.length < most && (tag.name === 'a' || tag.name === 'area')) links.push(tag.href)
    at = !closing && TEXT_ONLY.has(tag.name) ? behindText(html, tag.name, tag.end) : tag.end
  }
  return { links, bodyEnd: bodyEnd ?? html.length }
}

const BANG = 33
const SLASH = 47
const QUESTION = 63

const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)

/** A comment, or what browsers take for one. */
const afterMarkup = (html: string, at: number): number => {
  if (!html.startsWith('<!--', at)) return behind(html, '>', at)
  // `<!-->` and `<!--->` are whole comments.
  if (html[at + 4] === '>') return at + 5
  if (html.startsWith('->', at + 4)) return at + 6
  const plain = behind(html, '-->', at + 4)
  const odd = html.indexOf('--!>', at + 4)
  return odd !== -1 && odd + 4 < plain ? odd + 4 : plain
}

const behind = (html: string, mark: string, from: number): number => {
  const at = html.indexOf(mark, from)
  return at === -1 ? html.length : at + mark.length
}

/** At the end tag of an element that holds text only, which the scan then takes like any other. */
const behindText = (html: string, name: string, from: number): number => {
  const close = new RegExp(`</${name}[\\t\\n\\f\\r />]`, 'gi')
  close.lastIndex = from
  return close.exec(html)?.index ?? html.length
}
