import { emailKey, normalizeEmail } from '@tidings/addresses'
import type { AppendContext } from '@tidings/codec'
import type { SendEmailBody } from '@tidings/contracts'
import {
  asMessageId,
  type ContentOfTemplate,
  type EmailContent,
  type Json,
  mergeValues,
  Refused,
  singleLine,
  type TemplateId,
} from '@tidings/domain'
import { renderEmail } from '@tidings/mail-content'
import type { Accepting, Senders } from './accepting.ts'
import type { Recipient } from './find-recipient.ts'

/** The codes that a mail may be refused with for its sender or its content. */
export const emailRefusals = [
  ...(['from_domain_not_verified', 'from_domain_blacklisted', 'sender_inbox_not_verified'] as const),
  ...(['template_not_found', 'template_channel_mismatch', 'template_render_failed', 'content_empty'] as const),
] as const

/** One send of the API, to one recipient. `ip`: of the caller. */
export type Sending = Readonly<{ context: AppendContext; body: SendEmailBody; ip: string; recipient: Recipient }>

/** The complete mail that the recipient gets. `ofTemplate`: its content once more, where a template made it. */
export type PreparedEmail = Readonly<{
  content: EmailContent
  ofTemplate?: ContentOfTemplate
  fromEmail: string
  fromName: string | null
  replyTo: string | null
  templateId: TemplateId | null
}>

/** Checks the sender, then the template, and renders: refusals come in the contract's order. Writes nothing. */
export async function prepareEmail(deps: Accepting, sending: Sending): Promise<PreparedEmail> {
  const { body, context } = sending
  const sender = checkSender(await deps.directory.workspace(context.workspaceId), body.fromEmail)
  const { fromName, ...email } = body.templateId === undefined ? manualEmail(body) : await renderTemplate(deps, sending, body.templateId)
  return {
    ...email,
    fromEmail: sender.email,
    fromName: firstName(body.fromName, fromName, sender.name),
    replyTo: body.replyTo === undefined ? null : normalizeEmail(body.replyTo),
  }
}

type Sender = Readonly<{ email: string; name: string | null }>

/** The three From checks, each with its own code (POST /public/messages/email). */
function checkSender({ senderDomains, senderAddresses }: Senders, fromEmail: string): Sender {
  const [email, key] = [normalizeEmail(fromEmail), emailKey(fromEmail)]
  const domain = senderDomains.get(key.slice(key.lastIndexOf('@') + 1))
  if (!domain?.verified) throw new Refused('from_domain_not_verified')
  if (domain.blocklisted) throw new Refused('from_domain_blacklisted')
  const address = senderAddresses.get(key)
  if (address?.status !== 'verified') throw new Refused('sender_inbox_not_verified')
  return { email, name: address.name }
}

type Rendered = Readonly<{ content: EmailContent; ofTemplate?: ContentOfTemplate; fromName: string | null; templateId: TemplateId | null }>

/** Manual content is sent as written (M13); a line break in the subject becomes a blank, as a header has one line. */
function manualEmail({ subject = '', html = '', text }: SendEmailBody): Rendered {
  const line = singleLine(subject).trim()
  if (line === '' || html.trim() === '') throw new Refused('content_empty')
  return { content: { subject: line, html, text: text?.trim() ? text : null }, fromName: null, templateId: null }
}

/** The merge tags are resolved at acceptance: a later change of the template changes nothing that was accepted. */
async function renderTemplate(
  { directory, links }: Accepting,
  { context, body, recipient }: Sending,
  templateId: TemplateId,
): Promise<Rendered> {
  const { workspaceId } = context
  const messageId = asMessageId(context.commandId)
  const template = await directory.template(workspaceId, templateId)
  if (template === null || template.archived) throw new Refused('template_not_found')
  if (template.channel !== 'email') throw new Refused('template_channel_mismatch')
  // The cast holds: the fields were parsed from JSON.
  const fields = (body.templateFields ?? {}) as Readonly<Record<string, Json>>
  const unsubscribeUrl = () => links.unsubscribeUrl({ workspaceId, contactId: recipient.contactId, messageId })
  return { ...renderEmail(template.content, mergeValues(recipient, fields, { unsubscribeUrl })), templateId }
}

/** The first name that is not blank, on one line as a header needs it; null for the bare address (N526, M3). */
function firstName(...candidates: readonly (string | null | undefined)[]): string | null {
  for (const candidate of candidates) {
    const name = singleLine(candidate ?? '').trim()
    if (name !== '') return name
  }
  return null
}
