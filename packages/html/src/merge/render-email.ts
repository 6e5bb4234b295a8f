import { type EmailContent, type MergeValues, Refused, renderLine, renderMailText, type TemplateContent } from '@tidings/domain'
import { renderHtml } from './render-html.ts'

/** Contract, Field and operation limits: a rendered mail may be as large as a manual one. */
const SUBJECT = { maxLength: 500 }
const BODY = { maxLength: 500_000 }

/** The fields of a template that an email uses. */
export type EmailTemplate = Pick<TemplateContent, 'subject' | 'html' | 'text' | 'fromName'>

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
