import { type Static, Type } from '@sinclair/typebox'
import { EmailAddress, FreeObject, nullableText, oneOf, text, Uuid } from './kinds.ts'

const { Optional } = Type

/** `POST /events/ingest`. A contact is resolved by `contactId`, else by `email`, else by `phone`. */
export const IngestEventBody = Type.Object({
  event: text(128, { notEmpty: true }),
  contactId: Optional(Uuid),
  email: Optional(EmailAddress),
  phone: Optional(text(32)),
  firstName: Optional(text(255)),
  lastName: Optional(text(255)),
  properties: Optional(FreeObject),
})
export type IngestEventBody = Static<typeof IngestEventBody>

/** `contactId` is null where no contact could be resolved or created. `enrolled`: flows that the contact entered by this event. */
export const EventIngested = Type.Object({
  status: oneOf('ok', 'no_contact'),
  enrolled: Type.Integer(),
  contactId: nullableText({ format: 'uuid' }),
  created: Type.Boolean(),
})
export type EventIngested = Static<typeof EventIngested>
