import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { FreeObject, nullableOneOf, nullableText, oneOf, Timestamp, text, Uuid } from './kinds.ts'
import { keyPageOf } from './pagination.ts'
import { ConsentState } from './profile.ts'
import { textSentences, textsShown } from './profile-fields.ts'

// What only the dashboard asks for about a person.

const TimelineEntryKind = named(
  'TimelineEntryKind',
  oneOf(
    'message',
    'created',
    'details_changed',
    'email_changed',
    'phone_changed',
    'consent',
    'blocked',
    'block_lifted',
    'browser_added',
    'browser_removed',
    'list_joined',
    'list_left',
    'flow_entered',
    'flow_left',
    'event',
    'form_submitted',
    'sign_up_confirmed',
  ),
  'What happened.',
)

const TimelineEntry = described(
  Type.Object({
    id: Type.String(),
    at: Timestamp,
    kind: TimelineEntryKind,
    thingId: Uuid,
    name: nullableText(),
    channel: nullableOneOf('email', 'sms', 'push', 'voice', 'whatsapp'),
    status: nullableText(),
    reason: nullableText(),
    fields: Type.Array(Type.String()),
    actor: nullableText(),
  }),
  {
    name: 'TimelineEntry',
    about: 'One thing that happened to a person.',
    fields: {
      id: 'No two entries of a person have the same; `after` of a page takes it.',
      at: 'When it happened.',
      kind: 'What happened.',
      thingId: 'The UUID of the message, list, flow, event or sign-up; else of the contact.',
      name: 'What that is called, or the new address or number; null where there is none.',
      channel: 'The channel, where it is about one.',
      status: 'The status of the message now, or the consent that was said.',
      reason: 'Why, or by which source, as the log says it.',
      fields: 'The fields of the profile that changed.',
      actor: 'Who did it: `api_key:<id>`, `user:<id>`, `contact`, `pipeline` and so on.',
    },
  },
)
export type TimelineEntry = Static<typeof TimelineEntry>
export const TimelinePage = keyPageOf(TimelineEntry)
export type TimelinePage = Static<typeof TimelinePage>

export const TimelineQuery = described(
  Type.Object({ after: Type.Optional(text(200)), limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })) }),
  {
    fields: {
      after: 'The `next_cursor` of the page before.',
      limit: 'How many records a page holds at most, 1 to 100.',
    },
  },
)

const ListOfPerson = described(Type.Object({ id: Uuid, name: Type.String(), type: oneOf('static', 'dynamic'), addedAt: Timestamp }), {
  name: 'ListOfPerson',
  about: 'A list that a person is on.',
  fields: {
    id: 'The UUID of the list.',
    name: 'What it is called.',
    type: 'Whether members are added one by one, or by a rule.',
    addedAt: 'Since when the person is on it.',
  },
})

export const ListsOfPerson = described(Type.Object({ items: Type.Array(ListOfPerson) }), {
  name: 'ListsOfPerson',
  about: 'The lists that a person is on: the first 1 000, by name.',
  fields: { items: 'The lists.' },
})
export type ListsOfPerson = Static<typeof ListsOfPerson>

const FlowOfPerson = described(
  Type.Object({
    id: Uuid,
    name: Type.String(),
    state: oneOf('due', 'waiting', 'message_queued', 'over'),
    step: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    until: nullableText({ format: 'date-time' }),
    reason: nullableText(),
    enteredAt: Timestamp,
    updatedAt: Timestamp,
  }),
  {
    name: 'FlowOfPerson',
    about: 'The last run of a person through a flow.',
    fields: {
      id: 'The UUID of the flow.',
      name: 'What it is called.',
      state: 'Where the run is in its life.',
      step: 'The step that comes next, counted from 0; null behind the last.',
      until: 'Until when it waits, or null.',
      reason: 'Why it is over, or null.',
      enteredAt: 'When the person entered.',
      updatedAt: 'When the run moved last.',
    },
  },
)

export const FlowsOfPerson = described(Type.Object({ items: Type.Array(FlowOfPerson) }), {
  name: 'FlowsOfPerson',
  about: 'The flows that a person has been in: the first 1 000, by name.',
  fields: { items: 'The last run in each flow.' },
})
export type FlowsOfPerson = Static<typeof FlowsOfPerson>

export const PastQuery = described(Type.Object({ at: Type.Optional(text(40)) }), {
  fields: { at: 'The moment: ISO 8601 with `Z` or an offset, or a date, which is its midnight in UTC. Without it, now.' },
})

const ListThen = described(Type.Object({ id: Uuid, name: nullableText(), since: Timestamp }), {
  name: 'ListThen',
  about: 'A list that a person was on.',
  fields: { id: 'The UUID of the list.', name: 'What it is called; null where it is gone.', since: 'Since when the person was on it.' },
})

const Reasons = Type.Array(Type.String())

export const PastProfile = described(
  Type.Object({
    contactId: Uuid,
    at: Timestamp,
    email: nullableText(),
    phone: nullableText(),
    ...textsShown,
    tags: Type.Array(Type.String()),
    notes: nullableText(),
    customProperties: FreeObject,
    emailConsent: ConsentState,
    smsConsent: ConsentState,
    pushConsent: ConsentState,
    emailValidationState: oneOf('unknown', 'valid', 'risky', 'invalid'),
    emailBlocks: Reasons,
    smsBlocks: Reasons,
    lists: Type.Array(ListThen),
    createdAt: Timestamp,
    changedAt: Timestamp,
    changes: Type.Array(Timestamp),
  }),
  {
    name: 'PastProfile',
    about: 'The profile of a contact as it was at a moment, from the log.',
    fields: {
      contactId: 'The UUID of the contact.',
      at: 'The moment that was asked for; without one, now.',
      email: 'The address, or null.',
      phone: 'The number, or null.',
      ...textSentences,
      tags: 'Free texts on the contact.',
      notes: 'A free text for people.',
      customProperties: 'What else the client stored about the contact.',
      emailConsent: 'Whether the contact had agreed to marketing by email.',
      smsConsent: 'Whether the contact had agreed to marketing by text message.',
      pushConsent: 'Whether the contact had agreed to marketing by web push.',
      emailValidationState: 'What was known about the address.',
      emailBlocks: 'Why email was blocked; empty where it was not.',
      smsBlocks: 'Why text messages were blocked; empty where they were not.',
      lists: 'The lists that the contact was on: the first 1 000, by name.',
      createdAt: 'When the contact was created.',
      changedAt: 'When something of it had changed last.',
      changes: 'The newest 1 000 moments at which something of it changed, those after `at` as well, oldest first.',
    },
  },
)
export type PastProfile = Static<typeof PastProfile>
