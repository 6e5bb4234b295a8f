/** A piece of the html: characters from `from` up to `to`. */
export type Span = Readonly<{ from: number; to: number }>

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

const [TAB, LINE_FEED, FORM_FEED, RETURN, SPACE] = [9, 10, 12, 13, 32]
const [BANG, DOUBLE, SINGLE, SLASH, EQUALS, GREATER, QUESTION] = [33, 34, 39, 47, 61, 62, 63]

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
      if (attribute.isHref && href === null) href = attribute.value
      at = attribute.end
    }
  }
  return plainToken('unclosed', from, html.length)
}

/** Where the end tag of an element that holds text only begins; the end of the html where it has none. */
function endOfTextOnly(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}[\\t\\n\\f\\r />]`, 'gi')
  close.lastIndex = from
  return close.exec(html)?.index ?? html.length
}

type Attribute = Readonly<{ isHref: boolean; value: Span | null; end: number }>

/** A name may begin with `=`; white space may surround the `=` in front of the value. */
function attributeAt(html: string, from: number): Attribute {
  let at = from + 1
  while (at < html.length && !endsName(html.charCodeAt(at)) && html.charCodeAt(at) !== EQUALS) at++
  const isHref = at - from === 4 && html.slice(from, at).toLowerCase() === 'href'
  let next = skipSpace(html, at)
  if (html.charCodeAt(next) !== EQUALS) return { isHref, value: isHref ? { from: at, to: at } : null, end: next }
  next = skipSpace(html, next + 1)
  const quote = html.charCodeAt(next)
  if (quote === DOUBLE || quote === SINGLE) {
    const close = html.indexOf(quote === DOUBLE ? '"' : "'", next + 1)
    return close === -1 ? { isHref, value: null, end: html.length } : { isHref, value: { from: next + 1, to: close }, end: close + 1 }
  }
  let end = next
  while (end < html.length && !isSpace(html.charCodeAt(end)) && html.charCodeAt(end) !== GREATER) end++
  return { isHref, value: { from: next, to: end }, end }
}

function skipSpace(html: string, from: number): number {
  let at = from
  while (at < html.length && isSpace(html.charCodeAt(at))) at++
  return at
}

const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)

const isSpace = (code: number): boolean => code === SPACE || code === TAB || code === LINE_FEED || code === FORM_FEED || code === RETURN

const endsName = (code: number): boolean => isSpace(code) || code === SLASH || code === GREATER
