import { type FoundTag, type MergePart, type PlacedPart, placedPartsWith, tagWith } from '@tidings/domain'
import { readHtml, type Span } from '../html/read-html.ts'

/** Splits html at its merge tags; those that an editor has disguised are read as they are meant (M52). Time grows with its length. */
export function htmlMergeParts(html: string): readonly MergePart[] {
  return placedHtmlParts(html).map(({ part }) => part)
}

/** The parts of `htmlMergeParts`, with their places; none has one where braces were disguised, since the parts are of another text then. */
export function placedHtmlParts(html: string): readonly PlacedPart[] {
  const plain = undisguised(html)
  const parts = placedPartsWith(plain, htmlTagOf)
  return plain === html ? parts : parts.map(({ part }) => ({ part, from: null }))
}

const BLANK = /&(?:nbsp|#160|#xa0);/gi

/** The braces may have markup between them: what is in front of the first letter of the key stays in front of the value, the rest behind it. */
const htmlTagOf = (inner: string): FoundTag | null => {
  const { bar, key, before, after } = keyIn(inner)
  const tag = tagWith(key.replace(BLANK, ' '), bar === -1 ? '' : withoutBlanks(inner.slice(bar + 1)))
  return tag === null ? null : { ...tag, before, after }
}

/** The fallback, which is the author's own html, begins at `bar`; it is -1 if there is none. */
type FoundKey = { bar: number; key: string; before: string; after: string }

const keyIn = (inner: string): FoundKey => {
  const bar = inner.indexOf('|')
  if (!inner.includes('<')) return { bar, key: bar === -1 ? inner : inner.slice(0, bar), before: '', after: '' }
  const found: FoundKey = { bar: -1, key: '', before: '', after: '' }
  const markup = ({ from, to }: Span): void => {
    if (found.bar !== -1) return
    if (found.key.replace(BLANK, ' ').trim() === '') found.before += inner.slice(from, to)
    else found.after += inner.slice(from, to)
  }
  readHtml(inner, {
    startTag: markup,
    endTag: markup,
    comment: markup,
    // No key has a `<`.
    unclosed: () => {
      if (found.bar === -1) found.key += '<'
    },
    text: ({ from, to }) => {
      if (found.bar !== -1) return
      const at = inner.slice(from, to).indexOf('|')
      if (at !== -1) found.bar = from + at
      found.key += inner.slice(from, at === -1 ? to : from + at)
    },
  })
  return found
}

const NBSP = '&nbsp;'
const BLANKS_AT_START = /^(?:\s|&nbsp;)+/

const withoutBlanks = (text: string): string => text.slice(blankAtStart(text), text.length - blankAtEnd(text))

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

/** They are looked for one by one: a pattern of all takes fifty times as long, and hardly any html has one. */
const DISGUISES = ['%7B%7B', '%7b%7b', '&#123;', '&#x7b;', '&#x7B;', '&lcub;', '&lbrace;']
const ENCODED = /%7b%7b((?:(?!%7d)[^\s"'<>{}]){1,400})%7d%7d/gi
const BRACES: readonly (readonly [RegExp, string])[] = [
  [/&(?:#123|#x7b|lcub|lbrace);/gi, '{'],
  [/&(?:#125|#x7d|rcub|rbrace);/gi, '}'],
]

/** Writes braces that an editor has written as references, or as an address carries them, as braces. */
const undisguised = (html: string): string => {
  if (!DISGUISES.some((disguise) => html.includes(disguise))) return html
  const decoded = html.replace(ENCODED, (whole, inner: string) => decodedTag(inner) ?? whole)
  return BRACES.reduce((text, [reference, brace]) => text.replace(reference, brace), decoded)
}

/** It is null if a percent stands for nothing. */
const decodedTag = (inner: string): string | null => {
  try {
    return `{{${decodeURIComponent(inner)}}}`
  } catch {
    return null
  }
}
