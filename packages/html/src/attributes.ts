/** A piece of the html: characters from `from` up to `to`. */
export type Span = Readonly<{ from: number; to: number }>

const [TAB, LINE_FEED, FORM_FEED, RETURN, SPACE] = [9, 10, 12, 13, 32]
const [DOUBLE, SINGLE, SLASH, EQUALS, GREATER] = [34, 39, 47, 61, 62]

/** `value`: what is between the quotes, empty where there is no `=`; null where it never ends. `end`: behind the attribute. */
type Attribute = Readonly<{ name: Span; value: Span | null; end: number }>

/** A name may begin with `=`; white space may surround the `=` in front of the value. */
export function attributeAt(html: string, from: number): Attribute {
  let at = from + 1
  while (at < html.length && !endsName(html.charCodeAt(at)) && html.charCodeAt(at) !== EQUALS) at++
  const name = { from, to: at }
  let next = skipSpace(html, at)
  if (html.charCodeAt(next) !== EQUALS) return { name, value: { from: at, to: at }, end: next }
  next = skipSpace(html, next + 1)
  const quote = html.charCodeAt(next)
  if (quote === DOUBLE || quote === SINGLE) {
    const close = html.indexOf(quote === DOUBLE ? '"' : "'", next + 1)
    return close === -1 ? { name, value: null, end: html.length } : { name, value: { from: next + 1, to: close }, end: close + 1 }
  }
  let end = next
  while (end < html.length && !isSpace(html.charCodeAt(end)) && html.charCodeAt(end) !== GREATER) end++
  return { name, value: { from: next, to: end }, end }
}

/** The attributes of a start tag by their names in lowercase, their values as they are written; of two with one name the first counts. */
export function attributesOf(html: string, { from, to }: Span): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  let at = from + 1
  while (!endsName(html.charCodeAt(at))) at++
  while (at < to - 1) {
    const code = html.charCodeAt(at)
    if (isSpace(code) || code === SLASH) at++
    else {
      const { name, value, end } = attributeAt(html, at)
      const key = html.slice(name.from, name.to).toLowerCase()
      if (value !== null && !found.has(key)) found.set(key, html.slice(value.from, value.to))
      at = end
    }
  }
  return found
}

function skipSpace(html: string, from: number): number {
  let at = from
  while (at < html.length && isSpace(html.charCodeAt(at))) at++
  return at
}

export function isSpace(code: number): boolean {
  return code === SPACE || code === TAB || code === LINE_FEED || code === FORM_FEED || code === RETURN
}

export function endsName(code: number): boolean {
  return isSpace(code) || code === SLASH || code === GREATER
}
