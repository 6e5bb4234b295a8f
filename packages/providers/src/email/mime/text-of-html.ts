const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  reg: '®',
  trade: '™',
  euro: '€',
  pound: '£',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  laquo: '«',
  raquo: '»',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  shy: '',
  zwnj: '',
}

const HIDDEN = new Set(['script', 'style', 'head', 'title', 'template'])
const PARAGRAPH = new Set([
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'table',
  'ul',
  'ol',
  'blockquote',
  'pre',
  'section',
  'article',
  'header',
  'footer',
  'hr',
])
const TAG = /<(\/?)([a-zA-Z][a-zA-Z0-9]*)/y
const HREF = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i
const ENTITY = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,8}));/g

type Link = Readonly<{ href: string; from: number }>
type Text = { text: string; link: Link | null }

/**
 * The text part of a mail that came with html only (decisions.md M4): block elements become lines, links keep their address, list items
 * their dash. One pass over the html, whatever is in it: a mail of half a megabyte of broken tags takes no longer than another. The package
 * html-to-text does more, for 160 µs a mail of 2 KB and 14 MB a process.
 */
export function textOfHtml(html: string): string {
  const out: Text = { text: '', link: null }
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at)
    out.text += decodeEntities(html.slice(at, open === -1 ? undefined : open).replace(/[\s\u00a0]+/g, ' '))
    if (open === -1) break
    at = afterTag(html, open, out)
  }
  return out.text
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Takes what begins with the `<` at `open`; answers where the text goes on. What is never closed hides the rest, as in a browser. */
function afterTag(html: string, open: number, out: Text): number {
  if (html.startsWith('<!--', open)) return behind(html, '-->', open)
  TAG.lastIndex = open
  const [, slash, name = ''] = TAG.exec(html) ?? []
  if (name === '') {
    const isMarkup = html[open + 1] === '!' || html[open + 1] === '?' || html[open + 1] === '/'
    if (isMarkup) return behind(html, '>', open)
    out.text += '<'
    return open + 1
  }
  const end = behind(html, '>', open)
  const tag = name.toLowerCase()
  if (slash === '' && HIDDEN.has(tag)) return behindElement(html, tag, end)
  render(tag, { closing: slash === '/', attributes: () => html.slice(open, end) }, out)
  return end
}

function render(tag: string, { closing, attributes }: Readonly<{ closing: boolean; attributes: () => string }>, out: Text): void {
  if (tag === 'a') {
    endLink(out)
    if (!closing) out.link = linkOf(attributes(), out.text.length)
  } else if (PARAGRAPH.has(tag)) out.text += '\n\n'
  else if (tag === 'br' || tag === 'div' || tag === 'tr') out.text += '\n'
  else if (tag === 'li' && !closing) out.text += '\n- '
  else if ((tag === 'td' || tag === 'th') && closing) out.text += ' '
}

function linkOf(attributes: string, from: number): Link | null {
  const [, double, single] = HREF.exec(attributes) ?? []
  const href = decodeEntities(double ?? single ?? '').replace(/\s+/g, '')
  return /^(?:https?:|mailto:)/i.test(href) ? { href: href.replace(/^mailto:/i, ''), from } : null
}

function endLink(out: Text): void {
  if (out.link === null) return
  const label = out.text.slice(out.link.from).trim()
  if (label === '') out.text += out.link.href
  else if (label !== out.link.href) out.text += ` (${out.link.href})`
  out.link = null
}

function behind(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at === -1 ? html.length : at + mark.length
}

function behindElement(html: string, tag: string, from: number): number {
  const close = new RegExp(`</${tag}\\b`, 'gi')
  close.lastIndex = from
  return close.test(html) ? behind(html, '>', close.lastIndex) : html.length
}

const decodeEntities = (text: string): string =>
  text.replace(ENTITY, (whole, decimal: string | undefined, hex: string | undefined, name: string | undefined) => {
    if (name !== undefined) return NAMED[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : '\ufffd'
  })
