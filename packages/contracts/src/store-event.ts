import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { exampleTime } from './examples.ts'
import { ContactUuid, EmailAddress, FreeObject, text } from './kinds.ts'

const { Optional } = Type

const report = Type.Object({
  event: text(128, { notEmpty: true }),
  contactId: Optional(ContactUuid),
  email: Optional(EmailAddress),
  phone: Optional(text(32)),
  occurredAt: Optional(text(40, { notEmpty: true })),
  data: Optional(FreeObject),
})

/** `POST /integrations/store-events` (M18). `data` has the keys of the event's group, `occurredAt` is ISO 8601. */
export const StoreEventBody = described(report, {
  name: 'StoreEventBody',
  about: 'An event of a connected store, of reviews or of a loyalty programme.',
  fields: {
    event: 'One of the built-in names of these events, such as `order.completed`.',
    contactId: 'The UUID of an existing contact; without it the contact is found by `email`, else by `phone`, or made.',
    email: 'The address by which the contact is found or made.',
    phone: 'The number by which the contact is found or made.',
    occurredAt: 'When it happened, in ISO 8601; now, where it is left out.',
    data: 'The keys of the group of the event, and no others.',
  },
  example: {
    event: 'order.completed',
    email: 'ada@example.com',
    occurredAt: exampleTime,
    data: { externalId: '1001', orderId: 'A-1001', amount: 49.9, currency: 'EUR' },
  },
})
export type StoreEventBody = Static<typeof StoreEventBody>
