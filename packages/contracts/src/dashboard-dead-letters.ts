import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { IdParams, nameText, nullableText, oneOf, Timestamp, text, Uuid } from './kinds.ts'
import { keyPageOf } from './pagination.ts'

// Work that failed too often, as the dashboard shows it: to a workspace its own, to operators that of the installation.

export const DeadLetterParams = IdParams

const shownSentences = {
  id: 'The UUID of the dead letter.',
  source: 'Whether it is an event that a consumer could not handle, a job, or records of Kafka, which are of no workspace.',
  consumer: 'What was to handle it.',
  reference: 'The place of the event, the job or the records.',
  messageId: 'The UUID of the message that it was to send; null where it was to send none.',
  errorClass: 'The kind of the last error.',
  error: 'The last error.',
  attempts: 'How often it was tried.',
  state: '`open`; `redriving` until its consumer tries again, `redriven` from then on; `discarded` once it was given up.',
  note: 'Why it was discarded.',
  firstSeenAt: 'When it was set aside first.',
  lastSeenAt: 'When it was set aside, tried again or discarded last.',
} as const
const shownExample = {
  ...{ id: exampleIds.delivery, source: 'job' as const, consumer: 'send-email', reference: '-412/81', messageId: exampleIds.message },
  ...{ errorClass: 'TypeError', error: 'it was no text', attempts: 3, state: 'open' as const, note: null },
  ...{ firstSeenAt: exampleTime, lastSeenAt: exampleTime },
}

export const ShownDeadLetter = described(
  Type.Object({
    ...{ id: Uuid, source: oneOf('event', 'job', 'record'), consumer: Type.String(), reference: Type.String(), messageId: nullableText() },
    ...{ errorClass: Type.String(), error: Type.String(), attempts: Type.Integer() },
    ...{ state: oneOf('open', 'redriving', 'redriven', 'discarded'), note: nullableText() },
    ...{ firstSeenAt: Timestamp, lastSeenAt: Timestamp },
  }),
  {
    name: 'ShownDeadLetter',
    about: 'An event or a job that was set aside because it failed too often, or records of Kafka that are no events.',
    fields: shownSentences,
    example: shownExample,
  },
)
export type ShownDeadLetter = Static<typeof ShownDeadLetter>

export const DeadLetterPage = keyPageOf(ShownDeadLetter)
export type DeadLetterPage = Static<typeof DeadLetterPage>

const queryFields = {
  consumer: 'Only what this was to handle.',
  after: 'The `next_cursor` of the page before.',
  limit: 'How many records a page holds at most, 1 to 100.',
} as const

export const DeadLettersQuery = described(
  Type.Object({
    consumer: Type.Optional(text(200)),
    after: Type.Optional(text(200)),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  }),
  {
    fields: queryFields,
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

const nullableId = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' })
const ofWorkspace = { workspaceId: nullableId, workspace: nullableText() }
const ofWorkspaceSentences = {
  workspaceId: 'The UUID of the workspace that it is of; null where it is of none.',
  workspace: 'The slug of that workspace; null where it has none, or none is known yet.',
} as const

export const SystemDeadLetter = described(Type.Object({ ...ShownDeadLetter.properties, ...ofWorkspace }), {
  name: 'SystemDeadLetter',
  about: 'A dead letter of the installation, as operators see it.',
  fields: { ...shownSentences, ...ofWorkspaceSentences },
  example: { ...shownExample, workspaceId: exampleIds.workspace, workspace: 'acme' },
})
export type SystemDeadLetter = Static<typeof SystemDeadLetter>

export const SystemDeadLetterPage = keyPageOf(SystemDeadLetter)
export type SystemDeadLetterPage = Static<typeof SystemDeadLetterPage>

export const SystemDeadLettersQuery = described(Type.Object({ ...DeadLettersQuery.properties, workspaceId: Type.Optional(Uuid) }), {
  fields: {
    ...queryFields,
    workspaceId: 'Only those of the workspace of this UUID; `00000000-0000-0000-0000-000000000000` for those of none.',
  },
})

const DeadLetterGroup = described(Type.Object({ consumer: Type.String(), ...ofWorkspace, letters: Type.Integer(), oldest: Timestamp }), {
  name: 'DeadLetterGroup',
  about: 'The dead letters of one workspace, or of none, that the same was to handle.',
  fields: {
    consumer: 'What was to handle them.',
    ...ofWorkspaceSentences,
    letters: 'How many they are.',
    oldest: 'When the oldest of them was set aside first.',
  },
})

export const DeadLetterGroups = described(Type.Object({ items: Type.Array(DeadLetterGroup), has_more: Type.Boolean() }), {
  name: 'DeadLetterGroups',
  about: 'How many dead letters the installation has, by what was to handle them and by workspace.',
  fields: {
    items: 'The most first, at most 100. The newest 10 000 dead letters are counted.',
    has_more: 'Whether there are more groups.',
  },
})
export type DeadLetterGroups = Static<typeof DeadLetterGroups>

export const DiscardDeadLetterBody = described(Type.Object({ reason: nameText(500) }), {
  name: 'DiscardDeadLetterBody',
  about: 'Why a dead letter is given up.',
  fields: { reason: 'The reason, for the record.' },
  example: { reason: 'The customer was called.' },
})
