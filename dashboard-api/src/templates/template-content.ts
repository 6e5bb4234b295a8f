import type { TemplateTextsBody } from '@tidings/contracts'
import type { TemplateChannel, TemplateContent } from '@tidings/domain'
import { invalidRequest } from '@tidings/http'
import { wrongMergeTag } from '@tidings/mail-content'

type Field = keyof TemplateTextsBody

const NEEDED: Readonly<Record<TemplateChannel, readonly Field[]>> = { email: ['subject', 'html'], sms: ['body'], push: ['push'] }
const ALLOWED: Readonly<Record<TemplateChannel, readonly Field[]>> = {
  email: ['subject', 'html', 'text', 'fromName'],
  sms: ['body', 'fromName'],
  push: ['push', 'fromName'],
}
const FIELDS = ['subject', 'html', 'text', 'body', 'push', 'fromName'] as const

/** The texts as the domain stores them. Throws a sentence where one is missing, is of another channel, or has a tag that never resolves. */
export function contentOf(channel: TemplateChannel, body: TemplateTextsBody): TemplateContent {
  for (const field of NEEDED[channel])
    if (body[field] === undefined) throw invalidRequest(`${field} is required in a template of the channel ${channel}`)
  for (const field of FIELDS)
    if (body[field] !== undefined && !ALLOWED[channel].includes(field))
      throw invalidRequest(`${field} is no text of a template of the channel ${channel}`)
  const { subject = null, html = null, text = null, body: sms = null, push, fromName = null } = body
  refuseWrongTags(body)
  const pushTexts = push === undefined ? null : { title: push.title, body: push.body, url: push.url ?? null, icon: push.icon ?? null }
  return { subject, html, text, body: sms, push: pushTexts, fromName }
}

const refuseWrongTags = ({ push, ...rest }: TemplateTextsBody): void => {
  const texts = [...Object.entries(rest), ...Object.entries(push ?? {}).map(([field, text]) => [`push.${field}`, text] as const)]
  for (const [field, text] of texts) {
    const mistake = wrongMergeTag({ field, text })
    if (mistake !== null) throw invalidRequest(mistake)
  }
}
