import { type Static, Type } from '@sinclair/typebox'
import { FreeObject, oneOf, text, Uuid, withRule } from './kinds.ts'

const { Optional } = Type

const body = Type.Object({
  to: Optional(text(32)),
  contactId: Optional(Uuid),
  senderId: text(11),
  contentMode: Optional(oneOf('manual', 'template')),
  body: Optional(text(1_600)),
  templateId: Optional(Uuid),
  templateFields: Optional(FreeObject),
})
export type SendSmsBody = Static<typeof body>

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
