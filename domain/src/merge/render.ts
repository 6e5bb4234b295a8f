import { Refused } from '../kernel.ts'
import { addressSoFar, escapeHtml, escapeUnquoted, inAddress, scriptString, styleString } from './escape.ts'
import { type HtmlPlace, htmlPlaces } from './html-places.ts'
import { htmlMergeParts, type MergePart, mergeParts } from './merge-tags.ts'
import type { MergeValues } from './merge-values.ts'

/** One line for a mail header: line breaks and control characters become spaces (M3). */
export function singleLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

/** `maxLength` in UTF-16 code units: a short template and a long value multiply, so the result is bounded while it grows. */
type RenderOptions = Readonly<{ maxLength: number }>

/** Plain text: values are inserted as they are. Refuses `template_render_failed` beyond `maxLength`. */
export function renderText(template: string, values: MergeValues, options: RenderOptions): string {
  return joined(mergeParts(template), options, ({ key, fallback }) => values(key) || fallback)
}

/** Plain text of a mail: values are inserted as they are, without their line breaks (M52). */
export function renderMailText(template: string, values: MergeValues, options: RenderOptions): string {
  return joined(mergeParts(template), options, ({ key, fallback }) => values(key).replace(/[\r\n\u2028\u2029]+/g, ' ') || fallback)
}

/** An address: values are percent-encoded where they are a part of it (M52), and it is one line. */
export function renderAddress(template: string, values: MergeValues, options: RenderOptions): string {
  const parts = mergeParts(template)
  let before = ''
  const add = (text: string): string => {
    before = addressSoFar(before, text)
    return text
  }
  return singleLine(
    joined(parts, options, ({ key, fallback }, n) => add(inAddress(values(key), before, after(parts, n)) || fallback), add),
  ).trim()
}

/**
 * HTML: a value is escaped by its place (M52); the fallback is the author's own markup, and is not. Refuses `template_render_failed` beyond
 * `maxLength`.
 */
export function renderHtml(template: string, values: MergeValues, options: RenderOptions): string {
  const parts = htmlMergeParts(template)
  if (parts.length === 1 && typeof parts[0] === 'string') return bounded(parts[0], options)
  const places = htmlPlaces()
  return joined(
    parts,
    options,
    ({ key, fallback }, n) => {
      const text = valueAt(places.place(), values(key), after(parts, n)) || fallback
      places.add(text)
      return text
    },
    places.read,
  )
}

/** One line for a header: rendered as text, line breaks and control characters become spaces, ends are trimmed. */
export function renderLine(template: string, values: MergeValues, options: RenderOptions): string {
  return singleLine(renderText(template, values, options)).trim()
}

/** What follows a tag; null at the end. */
const after = (parts: readonly MergePart[], n: number): string | null => {
  const next = parts[n + 1]
  return next === undefined ? null : typeof next === 'string' ? next : '{{'
}

const valueAt = (place: HtmlPlace, value: string, next: string | null): string => {
  if (value === '') return ''
  switch (place.kind) {
    case 'text':
      return escapeHtml(value)
    case 'script':
    case 'style':
      return stringIn(place, value, next)
    case 'attribute': {
      const text = place.isScript ? scriptString(value) : value
      return place.isQuoted ? escapeHtml(text) : escapeUnquoted(text)
    }
    case 'address': {
      const isLast = next === null || (place.isQuoted ? /^["']/.test(next) : /^[\s>]/.test(next))
      const text = inAddress(value, place.address, isLast ? null : next)
      return place.isQuoted ? escapeHtml(text) : escapeUnquoted(text)
    }
  }
}

/** The author may have written its quotes. */
const stringIn = ({ kind, quote }: Extract<HtmlPlace, { quote: string }>, value: string, next: string | null): string => {
  const text = (kind === 'script' ? scriptString : styleString)(value)
  return quote !== '' && next?.startsWith(quote) ? text.slice(1, -1) : text
}

const bounded = (text: string, { maxLength }: RenderOptions): string => {
  if (text.length > maxLength) throw new Refused('template_render_failed', { maxLength })
  return text
}

const joined = (
  parts: readonly MergePart[],
  options: RenderOptions,
  resolve: (tag: Exclude<MergePart, string>, n: number) => string,
  onLiteral: (text: string) => unknown = () => undefined,
): string => {
  let result = ''
  parts.forEach((part, n) => {
    if (typeof part === 'string') onLiteral(part)
    result = bounded(result + (typeof part === 'string' ? part : resolve(part, n)), options)
  })
  return result
}
