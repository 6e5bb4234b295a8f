import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { ContactUuid, EmailAddress, FreeObject, oneOf, TemplateUuid, text, verbatim, withRule } from './kinds.ts'

const { Optional } = Type

export const ContentMode = named('ContentMode', oneOf('manual', 'template'), 'Whether the content is in the request or in a template.')

const fields = Type.Object({
  to: Optional(EmailAddress),
  contactId: Optional(ContactUuid),
  fromEmail: EmailAddress,
  fromName: Optional(text(255)),
  replyTo: Optional(EmailAddress),
  contentMode: Optional(ContentMode),
  subject: Optional(verbatim(500)),
  html: Optional(verbatim(500_000)),
  text: Optional(verbatim(500_000)),
  templateId: Optional(TemplateUuid),
  templateFields: Optional(FreeObject),
})
export type SendEmailBody = Static<typeof fields>

const body = described(fields, {
  name: 'SendEmailBody',
  about: 'A transactional email to one person: with a content of its own, or made from a template.',
  fields: {
    to: 'The address of the recipient, trimmed and lower-cased before the look-up; `to` or `contactId` is needed. An unknown one makes a contact.',
    contactId: 'The UUID of an existing contact; wins over `to` where both are sent.',
    fromEmail: 'The sender: a verified address on a verified domain of the workspace.',
    fromName: 'The name of the sender; with a template it falls back to the one of the template.',
    replyTo: 'Where answers go; it need not be verified.',
    contentMode: '`manual` unless `templateId` is sent, which is enough for a template; `manual` together with `templateId` is refused.',
    subject: 'The subject; needed without a template, ignored with one.',
    html: 'The content as HTML; needed without a template, ignored with one.',
    text: 'The content as plain text; ignored with a template.',
    templateId: 'The UUID of an email template of the workspace.',
    templateFields: 'Values for `{{key}}` in the template: flat, each a string, number, boolean or null.',
  },
  example: {
    to: 'ada@example.com',
    fromEmail: 'hello@acme.example',
    fromName: 'Acme',
    subject: 'Your order is on its way',
    html: '<p>It arrives tomorrow.</p>',
  },
})

/** The structural one-of rules of the send (N526): broken ones answer 400 without a code. */
const emailSendRule = (send: SendEmailBody): string | undefined => {
  if (send.to === undefined && send.contactId === undefined) return 'to or contactId is required'
  if (send.templateId !== undefined) {
    return send.contentMode === 'manual' ? 'templateId is not allowed when contentMode is manual' : undefined
  }
  if (send.contentMode === 'template') return 'templateId is required when contentMode is template'
  if (send.subject === undefined) return 'subject must be a string'
  return send.html === undefined ? 'html must be a string' : undefined
}

/** `POST /public/messages/email`. The template path is taken exactly when `templateId` is there. */
export const SendEmailBody = withRule(body, emailSendRule)
