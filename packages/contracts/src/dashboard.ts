import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { EmailLookup, IdParams, nullableText, oneOf, Timestamp, text, Uuid } from './kinds.ts'
import { MessageChannel, MessageRecord, MessageStatus, messageSentences } from './message.ts'

// What only the dashboard asks for.

/** A page that goes on by key: its cursor names the last record, so nothing that comes meanwhile moves it. `total` where it is kept beside the rows. */
export function keyPageOf<Item extends TSchema>(item: Item) {
  return described(
    Type.Object({
      items: Type.Array(item),
      limit: Type.Integer(),
      total: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
      has_more: Type.Boolean(),
      next_cursor: nullableText(),
    }),
    {
      name: `${item.title}Page`,
      about: `One page of ${item.title} records.`,
      fields: {
        items: 'The records of the page.',
        limit: 'The limit that was applied.',
        total: 'How many records match, or null where that is not counted.',
        has_more: 'Whether records may follow this page. A page may hold fewer than its limit and still be followed.',
        next_cursor: 'What `after` of the next page is; null on the last page.',
      },
    },
  )
}

export const FoundMessage = described(
  Type.Object({ ...MessageRecord.properties, contactId: Type.Unsafe<string | null>({ type: ['string', 'null'] }) }),
  {
    name: 'FoundMessage',
    about: 'What became of a message, and whose it is.',
    fields: { ...messageSentences, contactId: 'The UUID of the contact; null for a passcode.' },
  },
)

export type FoundMessage = Static<typeof FoundMessage>
export const MessageSearchPage = keyPageOf(FoundMessage)
export type MessageSearchPage = Static<typeof MessageSearchPage>

const period = (side: string) => `The ${side} of the period, by when the send was accepted: ISO 8601 with \`Z\` or an offset, or a date.`

export const MessageSearchQuery = described(
  Type.Object({
    status: Type.Optional(MessageStatus),
    channel: Type.Optional(MessageChannel),
    from: Type.Optional(text(40)),
    to: Type.Optional(text(40)),
    after: Type.Optional(text(200)),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  }),
  {
    fields: {
      status: 'Only messages of this status.',
      channel: 'Only messages of this channel.',
      from: `${period('beginning')} Inclusive.`,
      to: `${period('end')} Exclusive.`,
      after: 'The `next_cursor` of the page before.',
      limit: 'How many records a page holds at most, 1 to 100.',
    },
  },
)

export const MessageContentQuery = described(
  Type.Object({ part: Type.Optional(oneOf('html', 'text')), images: Type.Optional(oneOf('none', 'https')) }),
  {
    fields: {
      part: 'Which part of a mail; by default `html`. A text message has one.',
      images: 'Whether the frame may load images of the web; by default `none`.',
    },
  },
)

const Waiting = described(
  Type.Object({ attempts: Type.Integer(), dueAt: nullableText(), reason: nullableText(), deadLetter: nullableText() }),
  {
    name: 'MessageWaiting',
    about: 'What a message waits for that is not sent yet.',
    fields: {
      attempts: 'How often it was tried.',
      dueAt: 'When it is tried next; null where it waits behind another.',
      reason: 'Why the last attempt failed.',
      deadLetter: 'Its dead letter, where it was given up.',
    },
  },
)

const ExplainedMessage = described(
  Type.Object({
    id: Uuid,
    channel: Type.String(),
    status: Type.String(),
    failureReason: nullableText(),
    contactId: nullableText(),
    to: nullableText(),
    erased: Type.Boolean(),
    waiting: Type.Union([Waiting, Type.Null()]),
  }),
  {
    name: 'ExplainedMessage',
    about: 'The message that the facts are about.',
    fields: {
      id: 'The UUID of the message.',
      channel: 'What the message is sent by.',
      status: 'Where the message is in its life.',
      failureReason: 'Why the message was not sent or not delivered.',
      contactId: 'The UUID of the contact; null for a passcode.',
      to: 'Where it goes; null for a push, and once the recipient is erased.',
      erased: 'Whether the recipient was erased.',
      waiting: 'What it waits for; null once nothing is left to send.',
    },
  },
)

export const FactRecord = described(Type.Object({ at: Timestamp, position: Type.String(), type: Type.String(), says: Type.String() }), {
  name: 'Fact',
  about: 'One event of the log, and what it has to say about what is asked.',
  fields: {
    at: 'When it happened.',
    position: 'Where it is in the log.',
    type: 'The type of the event.',
    says: 'One sentence for people.',
  },
})

export const MessageStory = described(Type.Object({ message: ExplainedMessage, facts: Type.Array(FactRecord) }), {
  name: 'MessageStory',
  about: 'Every fact that led to a message and its status, oldest first.',
  fields: { message: 'The message.', facts: 'The facts.' },
})
export type MessageStory = Static<typeof MessageStory>

const role = named('PersonRole', oneOf('owner', 'admin', 'member'), 'What a user of the workspace may do.')

export const PersonParams = IdParams

export const Person = described(Type.Object({ id: Uuid, email: Type.String(), role }), {
  name: 'Person',
  about: 'A user of the workspace.',
  fields: { id: 'The UUID of the user.', email: 'The address that the user signs in with.', role: 'What the user may do.' },
})

const ListedPerson = described(Type.Object({ ...Person.properties, createdAt: Timestamp }), {
  name: 'ListedPerson',
  about: 'A user of the workspace, in the list.',
  fields: {
    id: 'The UUID of the user.',
    email: 'The address that the user signs in with.',
    role: 'What the user may do.',
    createdAt: 'When the user was added.',
  },
})

export const People = described(Type.Object({ items: Type.Array(ListedPerson) }), {
  name: 'People',
  about: 'Who may sign in to the workspace.',
  fields: { items: 'The users, by address.' },
})

export const SignInLink = described(Type.Object({ url: Type.String(), expiresAt: Timestamp }), {
  name: 'SignInLink',
  about: 'A link that signs in once.',
  fields: { url: 'The address to open.', expiresAt: 'When it ends.' },
})

export const InvitePersonBody = described(Type.Object({ email: EmailLookup, role }), {
  name: 'InvitePersonBody',
  about: 'Who is to sign in, and what they may do.',
  fields: { email: 'The address of the person.', role: 'What the person may do.' },
  example: { email: 'ada@acme.example', role: 'admin' },
})

export const InvitedPerson = described(Type.Object({ ...ListedPerson.properties, link: SignInLink }), {
  name: 'InvitedPerson',
  about: 'A new user, and the link of the invitation, which is shown this once.',
  fields: {
    id: 'The UUID of the user.',
    email: 'The address that the user signs in with.',
    role: 'What the user may do.',
    createdAt: 'When the user was added.',
    link: 'The link of the invitation.',
  },
  example: {
    ...{ id: exampleIds.user, email: 'ada@acme.example', role: 'admin' as const, createdAt: exampleTime },
    link: { url: 'https://tidings.example/dashboard/link#pU9mXyQz3cT0a7rJ2wLkHb5vN8sE1dGfKiRoYtMxC4A', expiresAt: exampleTime },
  },
})

export const ChangeRoleBody = described(Type.Object({ role }), {
  name: 'ChangeRoleBody',
  about: 'What a user may do from now on.',
  fields: { role: 'What the user may do.' },
  example: { role: 'member' },
})
