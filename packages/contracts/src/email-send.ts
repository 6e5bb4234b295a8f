import { type Static, Type } from '@sinclair/typebox'
import { EmailAddress, FreeObject, oneOf, text, Uuid, withRule } from './kinds.ts'

const { Optional } = Type

const body = Type.Object({
  to: Optional(EmailAddress),
  contactId: Optional(Uuid),
  fromEmail: EmailAddress,
  fromName: Optional(text(255)),
  replyTo: Optional(EmailAddress),
  contentMode: Optional(oneOf('manual', 'template')),
  subject: Optional(text(500)),
  html: Optional(text(500_000)),
  text: Optional(text(500_000)),
  templateId: Optional(Uuid),
  templateFields: Optional(FreeObject),
})
export type SendEmailBody = Static<typeof body>

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
