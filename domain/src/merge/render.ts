import { Refused } from '../kernel.ts'
import { addressSoFar, inAddress } from './escape.ts'
import { type MergePart, mergeParts } from './merge-tags.ts'
import type { MergeValues } from './merge-values.ts'

/** One line for a mail header: line breaks and control characters become spaces (M3). */
export function singleLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

/** `maxLength` in UTF-16 code units: a short template and a long value multiply, so the result is bounded while it grows. */
export type RenderOptions = Readonly<{ maxLength: number }>

/** Plain text: values are inserted as they are. Refuses `template_render_failed` beyond `maxLength`. */
export function renderText(template: string, values: MergeValues, options: RenderOptions): string {
  return joinParts(mergeParts(template), options, ({ key, fallback }) => values(key) || fallback)
}

/** A value in the plain text of a mail: as it is, without its line breaks (M52). */
export function valueInMailText(value: string): string {
  return value.replace(/[\r\n\u2028\u2029]+/g, ' ')
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
    joinParts(parts, options, ({ key, fallback }, n) => add(inAddress(values(key), before, textAfter(parts, n)) || fallback), add),
  ).trim()
}

/** One line for a header: rendered as text, line breaks and control characters become spaces, ends are trimmed. */
export function renderLine(template: string, values: MergeValues, options: RenderOptions): string {
  return singleLine(renderText(template, values, options)).trim()
}

/** The text that follows a tag; null at the end. */
export function textAfter(parts: readonly MergePart[], n: number): string | null {
  const next = parts[n + 1]
  return next === undefined ? null : typeof next === 'string' ? next : '{{'
}

const bounded = (text: string, { maxLength }: RenderOptions): string => {
  if (text.length > maxLength) throw new Refused('template_render_failed', { maxLength })
  return text
}

/** The parts with what `resolve` makes of each tag; `onLiteral` gets the texts between them, in order with the tags. */
export function joinParts(
  parts: readonly MergePart[],
  options: RenderOptions,
  resolve: (tag: Exclude<MergePart, string>, n: number) => string,
  onLiteral: (text: string) => unknown = () => undefined,
): string {
  let result = ''
  parts.forEach((part, n) => {
    if (typeof part === 'string') onLiteral(part)
    result = bounded(result + (typeof part === 'string' ? part : resolve(part, n)), options)
  })
  return result
}
