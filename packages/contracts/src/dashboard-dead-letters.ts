import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { IdParams, nameText, nullableText, oneOf, Timestamp, text, Uuid } from './kinds.ts'
import { keyPageOf } from './pagination.ts'

// Work of a workspace that failed too often, as the dashboard shows it.

export const DeadLetterParams = IdParams

export const ShownDeadLetter = described(
  Type.Object({
    ...{ id: Uuid, source: oneOf('event', 'job'), consumer: Type.String(), reference: Type.String(), messageId: nullableText() },
    ...{ errorClass: Type.String(), error: Type.String(), attempts: Type.Integer() },
    ...{ state: oneOf('open', 'redriving', 'redriven', 'discarded'), note: nullableText() },
    ...{ firstSeenAt: Timestamp, lastSeenAt: Timestamp },
  }),
  {
    name: 'ShownDeadLetter',
    about: 'An event or a job that was set aside because it failed too often.',
    fields: {
      id: 'The UUID of the dead letter.',
      source: 'Whether it is an event that a consumer could not handle, or a job.',
      consumer: 'What was to handle it.',
      reference: 'The place of the event or job.',
      messageId: 'The UUID of the message that it was to send; null where it was to send none.',
      errorClass: 'The kind of the last error.',
      error: 'The last error.',
      attempts: 'How often it was tried.',
      state: '`open`; `redriving` until its consumer tries again, `redriven` from then on; `discarded` once it was given up.',
      note: 'Why it was discarded.',
      firstSeenAt: 'When it was set aside first.',
      lastSeenAt: 'When it was set aside, tried again or discarded last.',
    },
    example: {
      ...{ id: exampleIds.delivery, source: 'job' as const, consumer: 'send-email', reference: '-412/81', messageId: exampleIds.message },
      ...{ errorClass: 'TypeError', error: 'it was no text', attempts: 3, state: 'open' as const, note: null },
      ...{ firstSeenAt: exampleTime, lastSeenAt: exampleTime },
    },
  },
)
export type ShownDeadLetter = Static<typeof ShownDeadLetter>

export const DeadLetterPage = keyPageOf(ShownDeadLetter)
export type DeadLetterPage = Static<typeof DeadLetterPage>

export const DeadLettersQuery = described(
  Type.Object({
    consumer: Type.Optional(text(200)),
    after: Type.Optional(text(200)),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  }),
  {
    fields: {
      consumer: 'Only what this was to handle.',
      after: 'The `next_cursor` of the page before.',
      limit: 'How many records a page holds at most, 1 to 100.',
    },
  },
)

const ConsumerOfDeadLetters = described(Type.Object({ consumer: Type.String(), letters: Type.Integer() }), {
  name: 'ConsumerOfDeadLetters',
  about: 'What was to handle some of the dead letters.',
  fields: { consumer: 'Its name.', letters: 'How many dead letters it has.' },
})

export const ConsumersOfDeadLetters = described(Type.Object({ items: Type.Array(ConsumerOfDeadLetters) }), {
  name: 'ConsumersOfDeadLetters',
  about: 'How many dead letters each consumer has that are open or being tried again.',
  fields: { items: 'The most first. At most 10 000 dead letters are counted.' },
})
export type ConsumersOfDeadLetters = Static<typeof ConsumersOfDeadLetters>

export const DiscardDeadLetterBody = described(Type.Object({ reason: nameText(500) }), {
  name: 'DiscardDeadLetterBody',
  about: 'Why a dead letter is given up.',
  fields: { reason: 'The reason, for the record.' },
  example: { reason: 'The customer was called.' },
})
