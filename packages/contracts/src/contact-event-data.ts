import { Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { cause, causeExample, causeSentences } from './event-cause.ts'
import { exampleIds, examplePerson, exampleTime } from './examples.ts'
import { FreeObject, nullableText, oneOf, Timestamp, Uuid } from './kinds.ts'
import { ConsentState } from './profile.ts'

const contact = {
  id: Uuid,
  email: nullableText(),
  phone: nullableText(),
  firstName: nullableText(),
  lastName: nullableText(),
  tags: Type.Array(Type.String()),
  emailConsent: ConsentState,
  smsConsent: ConsentState,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  occurredAt: Timestamp,
}

const contactSentences = {
  id: 'The UUID of the contact.',
  email: 'The address, or null.',
  phone: 'The number in E.164, or null.',
  firstName: 'The first name, or null.',
  lastName: 'The last name, or null.',
  tags: 'The tags on the contact.',
  emailConsent: 'The consent to email.',
  smsConsent: 'The consent to text messages.',
  createdAt: 'When the contact was created.',
  updatedAt: 'When the contact changed last.',
  occurredAt: 'When it happened.',
} as const

const { email, phone, firstName, lastName, emailConsent } = examplePerson
const contactExample = {
  ...{ id: exampleIds.contact, email, phone, firstName, lastName, tags: [...examplePerson.tags], emailConsent },
  ...{ smsConsent: 'never_subscribed' as const, createdAt: exampleTime, updatedAt: exampleTime, occurredAt: exampleTime },
}

export const ContactEventData = described(Type.Object(contact), {
  name: 'ContactEventData',
  about: 'The contact as it was after the event.',
  fields: contactSentences,
  example: contactExample,
})

const UnsubscribedChannel = named('UnsubscribedChannel', oneOf('email', 'sms', 'push'), 'The channel that a contact left.')

export const ContactUnsubscribedData = described(Type.Object({ ...contact, channel: UnsubscribedChannel }), {
  name: 'ContactUnsubscribedData',
  about: 'The contact as it was after the event, and the channel that it left.',
  fields: { ...contactSentences, channel: 'The channel that the contact left.' },
  example: { ...contactExample, emailConsent: 'unsubscribed', channel: 'email' },
})

export const ListEventData = described(Type.Object({ listId: Uuid, listName: Type.String(), ...cause }), {
  name: 'ListEventData',
  about: 'A contact and a static list.',
  fields: { listId: 'The UUID of the list.', listName: 'The name of the list.', ...causeSentences },
  example: { listId: exampleIds.list, listName: 'Newsletter', ...causeExample },
})

export const CustomEventData = described(Type.Object({ ...cause, properties: FreeObject }), {
  name: 'CustomEventData',
  about: 'A custom event, as it was ingested.',
  fields: { ...causeSentences, properties: 'What was ingested.' },
  example: { ...causeExample, properties: { sku: 'TEA-1' } },
})
