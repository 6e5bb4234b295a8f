import { weakMemo } from '@tidings/async'
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
import { type HtmlContext, htmlContexts } from './html-contexts.ts'
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
 * What it reads of the html it keeps for as long as that object is, which must not change.
 */
export function renderEmail(template: EmailTemplate, values: MergeValues): EmailContent & Readonly<{ fromName: string | null }> {
  const subject = renderLine(template.subject ?? '', values, SUBJECT)
  const html = renderCompiled(keptHtml(template) ?? compiledHtml(template.html ?? ''), values, BODY)
  if (subject === '' || html.trim() === '') throw new Refused('content_empty')
  const text = template.text === null ? null : renderMailText(template.text, values, BODY)
  const fromName = template.fromName === null ? null : renderLine(template.fromName, values, SUBJECT)
  return { subject, html, text: text?.trim() ? text : null, fromName: fromName || null }
}

/** The tags of an html. `outline`: the html with a letter for each value; `offsets`: the places of these letters; `contexts`: what is around them. */
type CompiledHtml = Readonly<{
  parts: readonly MergePart[]
  outline: string
  offsets: readonly number[]
  contexts: readonly HtmlContext[]
}>

const compiledHtml = (template: string): CompiledHtml => {
  const parts = htmlMergeParts(template)
  const { html, offsets } = outlineOf(parts)
  return { parts, outline: html, offsets, contexts: offsets.length === 0 ? [] : htmlContexts(html, offsets) }
}

/** A template of a hundred thousand tags would take twenty times the memory that the caches of templates count for it. */
const MAX_KEPT_PARTS = 2_000

/** Null for a template whose html is read anew each time. */
const keptHtml = weakMemo(({ html }: EmailTemplate) => {
  const compiled = compiledHtml(html ?? '')
  return compiled.parts.length > MAX_KEPT_PARTS ? null : compiled
})

/**
 * Puts values into html: each is escaped by its place (M52); the fallback is the author's own markup, and is not. Refuses `template_render_failed` beyond
 * `maxLength`.
 */
export function renderHtml(template: string, values: MergeValues, options: RenderOptions): string {
  return renderCompiled(compiledHtml(template), values, options)
}

const renderCompiled = ({ parts, outline, offsets, contexts }: CompiledHtml, values: MergeValues, options: RenderOptions): string => {
  const before = beforeValues(outline)
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
const outlineOf = (parts: readonly MergePart[]): Readonly<{ html: string; offsets: readonly number[] }> => {
  const offsets: number[] = []
  let html = ''
  for (const part of parts) {
    if (typeof part !== 'string') offsets.push(html.length)
    html += typeof part === 'string' ? part : 'x'
  }
  return { html, offsets }
}
