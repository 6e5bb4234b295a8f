import {
  type EmailContent,
  joinParts,
  type MergePart,
  type MergeValues,
  Refused,
  type RenderOptions,
  renderLine,
  renderMailText,
  textAfter,
} from '@tidings/domain'
import { beforeValues } from './before-values.ts'
import { htmlContexts } from './html-contexts.ts'
import { htmlMergeParts } from './html-merge-tags.ts'
import { valueAt } from './value-at.ts'

/** Contract, Field and operation limits: a rendered mail may be as large as a manual one. */
const SUBJECT = { maxLength: 500 }
const BODY = { maxLength: 500_000 }

/** The fields of a template that an email uses. */
export type EmailTemplate = Readonly<{ subject: string | null; html: string | null; text: string | null; fromName: string | null }>

/**
 * Renders a template with the values; also the template's sender name or null.
 * Refuses `content_empty` when subject or html is blank, `template_render_failed` when it grows too large.
 */
export function renderEmail(template: EmailTemplate, values: MergeValues): EmailContent & Readonly<{ fromName: string | null }> {
  const subject = renderLine(template.subject ?? '', values, SUBJECT)
  const html = renderHtml(template.html ?? '', values, BODY)
  if (subject === '' || html.trim() === '') throw new Refused('content_empty')
  const text = template.text === null ? null : renderMailText(template.text, values, BODY)
  const fromName = template.fromName === null ? null : renderLine(template.fromName, values, SUBJECT)
  return { subject, html, text: text?.trim() ? text : null, fromName: fromName || null }
}

/**
 * Puts values into html: each is escaped by its place (M52); the fallback is the author's own markup, and is not. Refuses `template_render_failed` beyond
 * `maxLength`.
 */
export function renderHtml(template: string, values: MergeValues, options: RenderOptions): string {
  const parts = htmlMergeParts(template)
  const { html, offsets } = outline(parts)
  const contexts = offsets.length === 0 ? [] : htmlContexts(html, offsets)
  const before = beforeValues(html)
  let tag = 0
  return joinParts(parts, options, ({ key, fallback }, n) => {
    const [context, offset = 0] = [contexts[tag] ?? { kind: 'text' as const }, offsets[tag]]
    tag++
    const around = { ...before.at(context, offset), next: textAfter(parts, n) }
    const text = valueAt(context, values(key), around) || fallback
    before.add(text)
    return text
  })
}

/** Gives the html with a letter for each value, and the places of these letters. */
function outline(parts: readonly MergePart[]): Readonly<{ html: string; offsets: readonly number[] }> {
  const offsets: number[] = []
  let html = ''
  for (const part of parts) {
    if (typeof part !== 'string') offsets.push(html.length)
    html += typeof part === 'string' ? part : 'x'
  }
  return { html, offsets }
}
