import type { SendEmailBody } from '@tidings/contracts'
import { type EmailContent, type Json, mergeValues, Refused, renderEmail, singleLine } from '@tidings/domain'
import type { Dependencies } from '../dependencies.ts'
import type { Recipient } from './resolve-recipient.ts'

export type ResolvedEmail = Readonly<{ content: EmailContent; fromName: string | null; templateId: string | null }>

type Sending = Readonly<{ workspaceId: string; messageId: string; body: SendEmailBody; recipient: Recipient }>

/** Manual content goes out as written (decisions.md M13); only a line break in the subject becomes a blank, as a header has one line. */
const manual = ({ subject = '', html = '', text }: SendEmailBody): ResolvedEmail => {
  const line = singleLine(subject).trim()
  if (line === '' || html.trim() === '') throw new Refused('content_empty')
  return { content: { subject: line, html, text: text?.trim() ? text : null }, fromName: null, templateId: null }
}

/** What the recipient gets, complete: the template's merge tags are resolved now, so that a later change of it changes nothing sent. */
export const emailContent = async (
  { directory, links }: Pick<Dependencies, 'directory' | 'links'>,
  { workspaceId, messageId, body, recipient }: Sending,
): Promise<ResolvedEmail> => {
  if (body.templateId === undefined) return manual(body)
  const template = await directory.template(workspaceId, body.templateId)
  if (template === null || template.archived) throw new Refused('template_not_found')
  if (template.channel !== 'email') throw new Refused('template_channel_mismatch')
  // What came out of JSON is JSON.
  const fields = (body.templateFields ?? {}) as Readonly<Record<string, Json>>
  const { contactId } = recipient
  const values = mergeValues(recipient, fields, { unsubscribeUrl: () => links.unsubscribeUrl({ workspaceId, contactId, messageId }) })
  const { fromName, ...content } = renderEmail(template.content, values)
  return { content, fromName, templateId: body.templateId }
}
