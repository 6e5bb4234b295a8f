import { type Static, Type } from '@sinclair/typebox'
import { EmailAddress, FreeObject, text, Uuid } from './kinds.ts'

const { Optional } = Type

/** `POST /integrations/store-events` (M18). `data` has the keys of the event's group, `occurredAt` is ISO 8601. */
export const StoreEventBody = Type.Object({
  event: text(128, { notEmpty: true }),
  contactId: Optional(Uuid),
  email: Optional(EmailAddress),
  phone: Optional(text(32)),
  occurredAt: Optional(text(40, { notEmpty: true })),
  data: Optional(FreeObject),
})
export type StoreEventBody = Static<typeof StoreEventBody>
