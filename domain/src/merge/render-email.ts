import { Refused } from '../kernel.ts'
import type { EmailContent } from '../message/message.events.ts'
import type { TemplateContent } from '../template/template.ts'
import type { MergeValues } from './merge-values.ts'
import { renderHtml, renderLine, renderText } from './render.ts'

/** A rendered mail may be as large as a manual one (contract: Limits). */
const SUBJECT = { maxLength: 500 }
const BODY = { maxLength: 500_000 }

/** What of a template makes an email. */
export type EmailTemplate = Pick<TemplateContent, 'subject' | 'html' | 'text' | 'fromName'>

/**
 * The mail that a template makes of the values, with the template's sender name or null.
 * Refuses `content_empty` when nothing is left of subject or html, `template_render_failed` when it grows too large.
 */
export const renderEmail = (template: EmailTemplate, values: MergeValues): EmailContent & Readonly<{ fromName: string | null }> => {
  const subject = renderLine(template.subject ?? '', values, SUBJECT)
  const html = renderHtml(template.html ?? '', values, BODY)
  if (subject === '' || html.trim() === '') throw new Refused('content_empty')
  const text = template.text === null ? null : renderText(template.text, values, BODY)
  const fromName = template.fromName === null ? null : renderLine(template.fromName, values, SUBJECT)
  return { subject, html, text: text?.trim() ? text : null, fromName: fromName || null }
}

/** Every text of a template in which merge tags count. */
export const templateTexts = ({ subject, html, text, body, push, fromName }: TemplateContent): readonly (string | null)[] => [
  subject,
  html,
  text,
  body,
  fromName,
  ...(push ? [push.title, push.body, push.url, push.icon] : []),
]
