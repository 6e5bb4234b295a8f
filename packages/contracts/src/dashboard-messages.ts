import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { ContactUuid, NullableTimestamp, nullableText, oneOf, TemplateUuid, Timestamp, text, Uuid } from './kinds.ts'
import { MessageChannel, MessageRecord, MessageStatus, messageSentences } from './message.ts'
import { keyPageOf } from './pagination.ts'

// What only the dashboard asks for about messages.

const MessageKind = named(
  'MessageKind',
  oneOf('transactional', 'marketing', 'passcode'),
  'What a message is for; a passcode is neither of the other two.',
)

/** A record that a message refers to. */
const namedRecord = (name: string, what: string) =>
  described(Type.Object({ id: Uuid, name: nullableText() }), {
    name,
    about: `${what}.`,
    fields: { id: 'Its UUID.', name: 'What it is called; null where it is shown no more.' },
  })

const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

const MessagePerson = namedRecord('MessagePerson', 'The person whom a message is for; the name is that of the profile, else an address')
const MessageTemplate = namedRecord('MessageTemplate', 'The template that a message was made by')
const MessageCampaign = namedRecord('MessageCampaign', 'The campaign that sent a message')
const MessageFlow = namedRecord('MessageFlow', 'The flow that sent a message')

export const FoundMessage = described(
  Type.Object({
    ...MessageRecord.properties,
    kind: MessageKind,
    openedAt: NullableTimestamp,
    clickedAt: NullableTimestamp,
    person: orNull(MessagePerson),
    template: orNull(MessageTemplate),
    campaign: orNull(MessageCampaign),
    flow: orNull(MessageFlow),
  }),
  {
    name: 'FoundMessage',
    about: 'What became of a message, whose it is, and what sent it.',
    fields: {
      ...messageSentences,
      kind: 'What it is for.',
      openedAt: 'When a person opened it first, or null.',
      clickedAt: 'When a person clicked in it first, or null.',
      person: 'Whom it is for; null for a passcode.',
      template: 'What it was made by; null where it came with its text.',
      campaign: 'The campaign that sent it, or null.',
      flow: 'The flow that sent it, or null.',
    },
  },
)

export type FoundMessage = Static<typeof FoundMessage>
export const MessageSearchPage = keyPageOf(FoundMessage)
export type MessageSearchPage = Static<typeof MessageSearchPage>

/** What became of a message, as the figures of its campaign count it. */
const MessageOutcome = oneOf('queued', 'sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained', 'unsubscribed', 'notSent')

const period = (side: string) => `The ${side} of the period, by when the send was accepted: ISO 8601 with \`Z\` or an offset, or a date.`

export const MessageSearchQuery = described(
  Type.Object({
    status: Type.Optional(MessageStatus),
    channel: Type.Optional(MessageChannel),
    kind: Type.Optional(MessageKind),
    contactId: Type.Optional(ContactUuid),
    templateId: Type.Optional(TemplateUuid),
    campaignId: Type.Optional(Uuid),
    flowId: Type.Optional(Uuid),
    outcome: Type.Optional(MessageOutcome),
    reason: Type.Optional(text(100)),
    opened: Type.Optional(oneOf('true', 'false')),
    clicked: Type.Optional(oneOf('true', 'false')),
    recipient: Type.Optional(text(320)),
    from: Type.Optional(text(40)),
    to: Type.Optional(text(40)),
    after: Type.Optional(text(200)),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  }),
  {
    fields: {
      status: 'Only messages of this status.',
      channel: 'Only messages of this channel.',
      kind: 'Only messages of this kind.',
      contactId: 'Only messages for this contact.',
      templateId: 'Only messages made by this template.',
      campaignId: 'Only messages of this campaign.',
      flowId: 'Only messages of this flow.',
      outcome:
        'Only messages of this outcome, as the figures of a campaign count them: one that was clicked is also sent; `notSent` was skipped, suppressed or failed.',
      reason: 'Only messages whose `failureReason` is this.',
      opened: 'Only messages that a person opened, or did not.',
      clicked: 'Only messages that a person clicked in, or did not.',
      recipient: 'Only messages for the contact that has this address or number now.',
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
