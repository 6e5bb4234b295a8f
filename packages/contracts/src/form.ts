import { type Static, Type } from '@sinclair/typebox'
import { EmailAddress, FreeObject, text, Uuid } from './kinds.ts'

const { Optional } = Type

/** `formId` is a label of the page. `fields`: native keys go to their columns, everything else to the custom properties (G29). */
export const SubscribeBody = Type.Object({
  email: EmailAddress,
  phone: Optional(text(40)),
  formId: Optional(text(120)),
  fields: Optional(FreeObject),
  sourceUrl: Optional(text(2048)),
})
export type SubscribeBody = Static<typeof SubscribeBody>

/** `pending`: only there, and true, where the form asks the owner of the address to confirm first. */
export const Subscribed = Type.Object({
  ok: Type.Literal(true),
  contactId: Uuid,
  isNew: Type.Boolean(),
  pending: Optional(Type.Literal(true)),
})
export type Subscribed = Static<typeof Subscribed>
