import { attributeAt, endsName, isSpace, type Span } from './attributes.ts'

export type { Span } from './attributes.ts'

/** `next`: where the token behind this one begins. */
type Place = Span & Readonly<{ next: number }>

/**
 * `href`: the first attribute of that name, its value between the quotes; null where there is none. A start tag whose element holds text
 * only (`script`, `style`, `title`, …) has that text between `to` and `next`.
 */
export type TagToken = Place & Readonly<{ kind: 'tag'; name: string; isClosing: boolean; href: Span | null }>

/** `comment`: a comment, a declaration, or what browsers take for a comment. `unclosed`: the html ends inside a tag. */
export type Token = TagToken | (Place & Readonly<{ kind: 'text' | 'comment' | 'unclosed' }>)

/** The content of these is text, whatever it looks like (HTML standard, 13.2.5). */
const TEXT_ONLY = new Set(['script', 'style', 'title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes'])

const COMMENT_END = /--!?>/g

const [BANG, SLASH, GREATER, QUESTION] = [33, 47, 62, 63]

/**
 * The token that begins at `at`, as the tokenizer of the HTML standard (13.2.5) finds it; null at the end of the html. It goes forward only:
 * time grows with the length of the html, whatever is in it.
 */
export function nextToken(html: string, at: number): Token | null {
  if (at >= html.length) return null
  const open = nextMarkup(html, at)
  if (open > at) return plainToken('text', at, open)
  const isClosing = html.charCodeAt(at + 1) === SLASH
  const name = at + (isClosing ? 2 : 1)
  if (!isLetter(html.charCodeAt(name))) return plainToken('comment', at, endOfComment(html, at))
  return tagToken(html, name, isClosing)
}

function plainToken(kind: 'text' | 'comment' | 'unclosed', from: number, to: number): Token {
  return { kind, from, to, next: to }
}

/** The next `<` that begins a tag or a comment: every other one is text. */
function nextMarkup(html: string, at: number): number {
  for (let open = html.indexOf('<', at); open !== -1; open = html.indexOf('<', open + 1)) {
    const code = html.charCodeAt(open + 1)
    if (isLetter(code) || code === BANG || code === QUESTION || (code === SLASH && open + 2 < html.length)) return open
  }
  return html.length
}

function endOfComment(html: string, at: number): number {
  if (!html.startsWith('<!--', at)) return behind(html, '>', at + 2)
  // `<!-->` and `<!--->` are whole comments.
  if (html.charCodeAt(at + 4) === GREATER) return at + 5
  if (html.startsWith('->', at + 4)) return at + 6
  COMMENT_END.lastIndex = at + 4
  return COMMENT_END.test(html) ? COMMENT_END.lastIndex : html.length
}

function behind(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at === -1 ? html.length : at + mark.length
}

/** The tag whose name begins at `start`. */
function tagToken(html: string, start: number, isClosing: boolean): Token {
  const from = start - (isClosing ? 2 : 1)
  let at = start
  while (at < html.length && !endsName(html.charCodeAt(at))) at++
  const name = html.slice(start, at).toLowerCase()
  let href: Span | null = null
  while (at < html.length) {
    const code = html.charCodeAt(at)
    if (code === GREATER) {
      const to = at + 1
      const next = !isClosing && TEXT_ONLY.has(name) ? endOfTextOnly(html, name, to) : to
      return { kind: 'tag', name, isClosing, href, from, to, next }
    }
    if (isSpace(code) || code === SLASH) at++
    else {
      const attribute = attributeAt(html, at)
      if (href === null && isHref(html, attribute.name)) href = attribute.value
      at = attribute.end
    }
  }
  return plainToken('unclosed', from, html.length)
}

/** The begin of the end tag of an element that holds only text; the end of the html if it has none. */
function endOfTextOnly(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}[\\t\\n\\f\\r />]`, 'gi')
  close.lastIndex = from
  return close.exec(html)?.index ?? html.length
}

const isHref = (html: string, { from, to }: Span): boolean => to - from === 4 && html.slice(from, to).toLowerCase() === 'href'

const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
