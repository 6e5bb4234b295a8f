import { Refused } from '../kernel.ts'
import { mergeParts } from './merge-tags.ts'
import type { MergeValues } from './merge-values.ts'

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Safe as text and inside a quoted attribute. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (char) => entities[char] ?? char) : text
}

/** One line for a mail header: line breaks and control characters become spaces (M3). */
export function singleLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

/** `maxLength` in UTF-16 code units: a short template and a long value multiply, so the result is bounded while it grows. */
type RenderOptions = Readonly<{ maxLength: number }>

/** Plain text: values are inserted as they are. Refuses `template_render_failed` beyond `maxLength`. */
export function renderText(template: string, values: MergeValues, options: RenderOptions): string {
  return rendered(template, options, (key, fallback) => values(key) || fallback)
}

/** HTML: values are escaped, the fallback is the author's own markup and is not. Refuses `template_render_failed` beyond `maxLength`. */
export function renderHtml(template: string, values: MergeValues, options: RenderOptions): string {
  return rendered(template, options, (key, fallback) => escapeHtml(values(key)) || fallback)
}

/** One line for a header: rendered as text, line breaks and control characters become spaces, ends are trimmed. */
export function renderLine(template: string, values: MergeValues, options: RenderOptions): string {
  return singleLine(renderText(template, values, options)).trim()
}

const rendered = (template: string, { maxLength }: RenderOptions, resolve: (key: string, fallback: string) => string): string => {
  if (!template.includes('{{')) return template
  let result = ''
  for (const part of mergeParts(template)) {
    result += typeof part === 'string' ? part : resolve(part.key, part.fallback)
    if (result.length > maxLength) throw new Refused('template_render_failed', { maxLength })
  }
  return result
}
