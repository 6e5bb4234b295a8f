import type { Span } from './find-links.ts'

/** `href`: the first attribute of that name, its value between the quotes; null where there is none. `end`: behind the `>`. */
export type Tag = Readonly<{ name: string; href: Span | null; end: number }>

type Attribute = Readonly<{ isHref: boolean; value: Span | null; end: number }>

const GREATER = 62
const SLASH = 47
const EQUALS = 61
const DOUBLE = 34
const SINGLE = 39

const isSpace = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 12 || code === 13

/** The tag whose name begins at `from`, by the tokenizer of the HTML standard (13.2.5.8 and 32 to 40); null when the text ends inside. */
export const scanTag = (html: string, from: number): Tag | null => {
  let at = from
  while (at < html.length && !endsName(html.charCodeAt(at))) at++
  const name = html.slice(from, at).toLowerCase()
  let href: Span | null = null
  while (at < html.length) {
    const code = html.charCodeAt(at)
    if (code === GREATER) return { name, href, end: at + 1 }
    if (isSpace(code) || code === SLASH) {
      at++
      continue
    }
    const attribute = scanAttribute(html, at)
    if (attribute.isHref && href === null) href = attribute.value
    at = attribute.end
  }
  return null
}

const endsName = (code: number): boolean => isSpace(code) || code === SLASH || code === GREATER

/** A name of its own may begin with `=`; white space may stand around the one that brings the value. */
const scanAttribute = (html: string, from: number): Attribute => {
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

const skipSpace = (html: string, from: number): number => {
  let at = from
  while (at < html.length && isSpace(html.charCodeAt(at))) at++
  return at
}
