import { inNfc } from '../values.ts'

/** A piece of a template: literal text, or a tag to be resolved. */
export type MergePart = string | Readonly<{ key: string; fallback: string }>

const OPEN = '{{'
const CLOSE = '}}'
const MAX_KEY = 255
const MAX_SHOWN = 40

/**
 * Splits a template at its merge tags: `{{key}}` or `{{key|fallback}}`, spaces around both tolerated (contract: Merge tags;
 * M3). What is not a tag, such as `{{}}` or a key over two lines, stays text. Linear in the length.
 */
export function mergeParts(template: string): readonly MergePart[] {
  return partsOf(template, tagOf)
}

/** The same for html, where tags that an editor has disguised are read as they are meant (M52). */
export function htmlMergeParts(html: string): readonly MergePart[] {
  return partsOf(undisguised(html), htmlTagOf)
}

type Tag = Exclude<MergePart, string>
/** `before` and `after`: markup that was between the braces. */
type FoundTag = Readonly<{ tag: Tag; before?: string; after?: string }>

function partsOf(template: string, found: (inner: string) => FoundTag | null): readonly MergePart[] {
  const parts: MergePart[] = []
  let textFrom = 0
  let at = 0
  for (;;) {
    const close = template.indexOf(CLOSE, at)
    if (close === -1) break
    // The innermost opening: in `{{ {{a}}` and `{{{a}}}` the tag is `{{a}}`.
    const before = template.slice(at, close)
    const opening = before.lastIndexOf(OPEN)
    const open = at + opening
    const is = opening === -1 ? null : found(before.slice(opening + 2))
    at = close + 2
    if (is === null) continue
    const literal = template.slice(textFrom, open) + (is.before ?? '')
    if (literal !== '') parts.push(literal)
    parts.push(is.tag)
    if (is.after) parts.push(is.after)
    textFrom = at
  }
  if (textFrom < template.length) parts.push(template.slice(textFrom))
  return parts
}

const tagOf = (inner: string): FoundTag | null => {
  const bar = inner.indexOf('|')
  return tagWith(bar === -1 ? inner : inner.slice(0, bar), bar === -1 ? '' : inner.slice(bar + 1))
}

const tagWith = (key: string, fallback: string): FoundTag | null => {
  const name = key.trim()
  return name === '' || name.length > MAX_KEY || /[{}<>\r\n]/.test(name) ? null : { tag: { key: inNfc(name), fallback: fallback.trim() } }
}

/** The key, with the markup that an editor has put into it, and the fallback, which is the author's own html. */
const KEY_AND_FALLBACK = /^((?:[^|<]|<[^<>]*>)*)(?:\|(.*))?$/s
const BLANK = /&(?:nbsp|#160|#xa0);/gi
const LEADING = /^(?:\s|<[^<>]*>)*/
const MARKUP = /<\/?[a-zA-Z][^<>]*>/g

const htmlTagOf = (inner: string): FoundTag | null => {
  const [, key = '', fallback = ''] = KEY_AND_FALLBACK.exec(inner) ?? []
  const name = key.replace(BLANK, ' ')
  if (!name.includes('<')) return tagWith(name, fallback.slice(blankAtStart(fallback), fallback.length - blankAtEnd(fallback)))
  const is = tagWith(name.replace(MARKUP, ''), fallback)
  // What is in front of the first letter of the key stays in front of the value.
  const first = LEADING.exec(name)?.[0].length ?? 0
  const markup = (from: number, to: number): string => (name.slice(from, to).match(MARKUP) ?? []).join('')
  return is === null ? null : { ...is, before: markup(0, first), after: markup(first, name.length) }
}

const NBSP = '&nbsp;'
const BLANKS_AT_START = /^(?:\s|&nbsp;)+/

const blankAtStart = (text: string): number => BLANKS_AT_START.exec(text)?.[0].length ?? 0

/** Trims from the end: a pattern for blanks at the end starts anew at each blank of a long row. */
const blankAtEnd = (text: string): number => {
  let end = text.length
  for (;;) {
    const trimmed = text.slice(0, end).trimEnd().length
    if (trimmed === end && !text.endsWith(NBSP, end)) return text.length - end
    end = text.endsWith(NBSP, trimmed) ? trimmed - NBSP.length : trimmed
  }
}

/** Looked for one by one: a pattern of all takes fifty times as long, and hardly any html has one. */
const DISGUISES = ['%7B%7B', '%7b%7b', '&#123;', '&#x7b;', '&#x7B;', '&lcub;', '&lbrace;']
const ENCODED = /%7b%7b((?:(?!%7d)[^\s"'<>{}]){1,400})%7d%7d/gi
const BRACES: readonly (readonly [RegExp, string])[] = [
  [/&(?:#123|#x7b|lcub|lbrace);/gi, '{'],
  [/&(?:#125|#x7d|rcub|rbrace);/gi, '}'],
]

/** Matches a tag also if an editor has written its braces as references, or as an address carries them. */
const undisguised = (html: string): string => {
  if (!DISGUISES.some((disguise) => html.includes(disguise))) return html
  const decoded = html.replace(ENCODED, (whole, inner: string) => decodedTag(inner) ?? whole)
  return BRACES.reduce((text, [reference, brace]) => text.replace(reference, brace), decoded)
}

/** Null where a percent stands for nothing. */
const decodedTag = (inner: string): string | null => {
  try {
    return `{{${decodeURIComponent(inner)}}}`
  } catch {
    return null
  }
}

/** The keys of every tag in the given texts, `html` among them, sorted by code unit, each once. */
export function mergeFields(texts: readonly (string | null)[], html: string | null = null): readonly string[] {
  const parts = [...texts.flatMap((text) => mergeParts(text ?? '')), ...htmlMergeParts(html ?? '')]
  return [...new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : [part.key])))].sort()
}

/** The first piece of a template that looks like a merge tag and can never resolve; null where there is none. */
export function unresolvableTag(parts: readonly MergePart[]): string | null {
  const text = parts.find((part) => typeof part === 'string' && part.includes(OPEN))
  return typeof text === 'string' ? text.slice(text.indexOf(OPEN)).slice(0, MAX_SHOWN) : null
}
