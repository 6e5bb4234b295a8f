import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { ContentMode } from './email-send.ts'
import { ContactUuid, FreeObject, TemplateUuid, text, verbatim, withRule } from './kinds.ts'

const { Optional } = Type

const fields = Type.Object({
  to: Optional(text(32)),
  contactId: Optional(ContactUuid),
  senderId: text(11),
  contentMode: Optional(ContentMode),
  body: Optional(verbatim(1_600)),
  templateId: Optional(TemplateUuid),
  templateFields: Optional(FreeObject),
})
export type SendSmsBody = Static<typeof fields>

const body = described(fields, {
  name: 'SendSmsBody',
  about: 'A transactional text message to one person: with a content of its own, or made from a template.',
  fields: {
    to: 'The number of the recipient, in E.164; `to` or `contactId` is needed.',
    contactId: 'The UUID of an existing contact; wins over `to` where both are sent.',
    senderId: 'One of the active sender IDs of the workspace, in any case. There is no default.',
    contentMode: '`manual` unless `templateId` is sent, which is enough for a template; `manual` together with `templateId` is refused.',
    body: 'The text; needed without a template, ignored with one. One credit pays for 268 billable characters.',
    templateId: 'The UUID of an SMS template of the workspace.',
    templateFields: 'Values for `{{key}}` in the template: flat, each a string, number, boolean or null.',
  },
  example: { to: '+972501234567', senderId: 'ACME', body: 'Your order is on its way' },
})

/** The structural one-of rules of the send (N526): broken ones answer 400 without a code. */
const smsSendRule = (send: SendSmsBody): string | undefined => {
  if (send.to === undefined && send.contactId === undefined) return 'to or contactId is required'
  if (send.templateId !== undefined) {
    return send.contentMode === 'manual' ? 'templateId is not allowed when contentMode is manual' : undefined
  }
  if (send.contentMode === 'template') return 'templateId is required when contentMode is template'
  return send.body === undefined ? 'body must be a string' : undefined
}

/** `POST /public/messages/sms`. The template path is taken exactly when `templateId` is there. */
export const SendSmsBody = withRule(body, smsSendRule)
