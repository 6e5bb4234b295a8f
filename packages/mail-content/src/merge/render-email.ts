import { weakMemo } from '@tidings/async'
import {
  type ContentOfTemplate,
  type EmailContent,
  joinParts,
  type MergedText,
  type MergePart,
  type MergeValues,
  placedParts,
  Refused,
  type RenderOptions,
  renderLine,
  textAfter,
  valueInMailText,
} from '@tidings/domain'
import { beforeValues } from './before-values.ts'
import { type CompiledText, compiledText, mergedText } from './compiled-text.ts'
import { type HtmlContext, htmlContexts } from './html-contexts.ts'
import { placedHtmlParts } from './html-merge-tags.ts'
import { textsDigest } from './merged-email.ts'
import { valueAt } from './value-at.ts'

/** Contract, Field and operation limits: a rendered mail may be as large as a manual one. */
const SUBJECT = { maxLength: 500 }
const BODY = { maxLength: 500_000 }

/** The fields of a template that an email uses. */
export type EmailTemplate = Readonly<{ subject: string | null; html: string | null; text: string | null; fromName: string | null }>

/** `fromName`: the template's sender name or null. `ofTemplate`: the same content, of which `joinedEmail` makes the mail. */
export type RenderedEmail = Readonly<{ content: EmailContent; fromName: string | null; ofTemplate: ContentOfTemplate }>

/**
 * Renders a template with the values. Refuses `content_empty` when subject or html is blank, `template_render_failed` when it grows too large. What
 * it reads of the template it keeps for as long as that object is.
 */
export function renderEmail(template: EmailTemplate, values: MergeValues): RenderedEmail {
  const compiled = keptEmail(template) ?? compileEmail(template)
  const subject = renderLine(template.subject ?? '', values, SUBJECT)
  const html = renderCompiled(compiled.html, values, BODY)
  if (subject === '' || html.text.trim() === '') throw new Refused('content_empty')
  const text = compiled.text === null ? null : renderPlain(compiled.text, values)
  const said = text?.text.trim() ? text : null
  const fromName = template.fromName === null ? null : renderLine(template.fromName, values, SUBJECT)
  return {
    content: { subject, html: html.text, text: said?.text ?? null },
    fromName: fromName || null,
    ofTemplate: { templateDigest: compiled.digest, merged: { subject, html: html.pieces, text: said?.pieces ?? null } },
  }
}

/** A text, and the same in pieces of its template. */
type RenderedText = Readonly<{ text: string; pieces: MergedText }>

const compileEmail = (template: EmailTemplate) => ({
  digest: textsDigest(template),
  html: compiledHtml(template.html ?? ''),
  text: template.text === null ? null : compiledText(placedParts(template.text)),
})

/** A template of hundreds of thousands of tags would take twenty times the memory that the caches of templates count for it. */
const MAX_KEPT_PARTS = 2_000

/** Null for a template that is read anew each time. */
const keptEmail = weakMemo((template: EmailTemplate) => {
  const compiled = compileEmail(template)
  return compiled.html.parts.length + (compiled.text?.parts.length ?? 0) > MAX_KEPT_PARTS ? null : compiled
})

/** `outline`: the html with a letter for each value; `offsets`: the places of these letters; `contexts`: what is around them. */
type CompiledHtml = CompiledText & Readonly<{ outline: string; offsets: readonly number[]; contexts: readonly HtmlContext[] }>

const compiledHtml = (template: string): CompiledHtml => {
  const text = compiledText(placedHtmlParts(template))
  const { html, offsets } = outlineOf(text.parts)
  return { ...text, outline: html, offsets, contexts: offsets.length === 0 ? [] : htmlContexts(html, offsets) }
}

/**
 * Puts values into html: each is escaped by its place (M52); the fallback is the author's own markup, and is not. Refuses `template_render_failed` beyond
 * `maxLength`.
 */
export function renderHtml(template: string, values: MergeValues, options: RenderOptions): string {
  return renderCompiled(compiledHtml(template), values, options).text
}

const renderCompiled = (compiled: CompiledHtml, values: MergeValues, options: RenderOptions): RenderedText => {
  const { parts, outline, offsets, contexts } = compiled
  const before = beforeValues(outline)
  const resolved: string[] = []
  const text = joinParts(parts, options, ({ key, fallback }, n) => {
    const tag = resolved.length
    const [context, offset = 0] = [contexts[tag] ?? { kind: 'text' as const }, offsets[tag]]
    const around = { ...before.at(context, offset), next: textAfter(parts, n) }
    const value = valueAt(context, values(key), around) || fallback
    before.add(value)
    resolved.push(value)
    return value
  })
  return { text, pieces: mergedText(compiled, resolved) }
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

const renderPlain = (compiled: CompiledText, values: MergeValues): RenderedText => {
  const resolved: string[] = []
  const text = joinParts(compiled.parts, BODY, ({ key, fallback }) => {
    const value = valueInMailText(values(key)) || fallback
    resolved.push(value)
    return value
  })
  return { text, pieces: mergedText(compiled, resolved) }
}
