import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { exampleIds } from './examples.ts'
import { ContactUuid, EmailAddress, FreeObject, nullableText, oneOf, text } from './kinds.ts'

const { Optional } = Type

const ingest = Type.Object({
  event: text(128, { notEmpty: true }),
  contactId: Optional(ContactUuid),
  email: Optional(EmailAddress),
  phone: Optional(text(32)),
  firstName: Optional(text(255)),
  lastName: Optional(text(255)),
  properties: Optional(FreeObject),
})

/** `POST /events/ingest`. A contact is resolved by `contactId`, else by `email`, else by `phone`. */
export const IngestEventBody = described(ingest, {
  name: 'IngestEventBody',
  about: 'A custom event: something that a contact did.',
  fields: {
    event: 'The name of the event; flows that wait for it enrol the contact.',
    contactId: 'The UUID of an existing contact; without it the contact is found by `email`, else by `phone`, or made.',
    email: 'The address by which the contact is found or made.',
    phone: 'The number by which the contact is found or made.',
    firstName: 'The first name of a contact that the event makes.',
    lastName: 'The last name of a contact that the event makes.',
    properties: 'What happened, as the client says it; about 8 KB at most. Flow templates have its keys as merge tags.',
  },
  example: { event: 'wishlist.added', email: 'ada@example.com', properties: { sku: 'TEA-1' } },
})
export type IngestEventBody = Static<typeof IngestEventBody>

const ingested = Type.Object({
  status: named('EventIngestStatus', oneOf('ok', 'no_contact'), 'Whether an event has a contact.'),
  enrolled: Type.Integer(),
  contactId: nullableText({ format: 'uuid' }),
  created: Type.Boolean(),
})

/** `contactId` is null where no contact could be resolved or created. `enrolled`: flows that the contact entered by this event. */
export const EventIngested = described(ingested, {
  name: 'EventIngested',
  about: 'What became of an event.',
  fields: {
    status: '`no_contact` where no contact could be found or made.',
    enrolled: 'How many flows the contact entered by this event.',
    contactId: 'The UUID of the contact; null where there is none.',
    created: 'Whether the event made the contact.',
  },
  example: { status: 'ok', enrolled: 0, contactId: exampleIds.contact, created: false },
})
export type EventIngested = Static<typeof EventIngested>
