import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { exampleIds } from './examples.ts'
import { EmailAddress, FreeObject, text, Uuid, verbatim } from './kinds.ts'

const { Optional } = Type

const submission = Type.Object({
  email: EmailAddress,
  phone: Optional(text(40)),
  formId: Optional(text(120)),
  fields: Optional(FreeObject),
  sourceUrl: Optional(verbatim(2048)),
})

/** `formId` is a label of the page. `fields`: native keys go to their columns, everything else to the custom properties (G29). */
export const SubscribeBody = described(submission, {
  name: 'SubscribeBody',
  about: 'What a visitor filled into an embedded form.',
  fields: {
    email: 'The address of the visitor.',
    phone: 'The number of the visitor.',
    formId: 'A label that the page chose for its form. It is no security boundary.',
    fields: 'The other fields: keys that a profile has go to it, every other one to its custom properties.',
    sourceUrl: 'The page that the form is on.',
  },
  example: { email: 'grace@example.com', formId: 'footer', fields: { firstName: 'Grace' }, sourceUrl: 'https://shop.example/' },
})
export type SubscribeBody = Static<typeof SubscribeBody>

const subscribed = Type.Object({
  ok: Type.Literal(true),
  contactId: Uuid,
  isNew: Type.Boolean(),
  pending: Optional(Type.Literal(true)),
})

/** `pending`: only there, and true, where the form asks the owner of the address to confirm first. */
export const Subscribed = described(subscribed, {
  name: 'Subscribed',
  about: 'A sign-up that was taken.',
  fields: {
    ok: 'Always true.',
    contactId: 'The UUID of the contact.',
    isNew: 'Whether the sign-up made the contact.',
    pending: 'Only there, and true, where the owner of the address is asked to confirm first.',
  },
  example: { ok: true, contactId: exampleIds.contact, isNew: true },
})
export type Subscribed = Static<typeof Subscribed>
