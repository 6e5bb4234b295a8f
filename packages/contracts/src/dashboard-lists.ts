import { type Static, Type } from '@sinclair/typebox'
import type { ContactId } from '@tidings/domain'
import { described } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { FreeObject, NullableTimestamp, nameText, nullableText, oneOf, Timestamp, Uuid } from './kinds.ts'
import { editedFields, editedSentences, versionHead, versionHeadSentences, versionsOf } from './versions.ts'

// Lists, as the dashboard makes and changes them.

const ruleExample = { all: [{ field: 'emailConsent', op: 'eq', value: 'subscribed' }] }
const NullableRule = Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'], additionalProperties: true })
const ruleSentence = 'The rule of a dynamic list (M9).'

const RuleRun = described(
  Type.Object({
    version: Type.Integer(),
    contacts: Type.Integer(),
    changes: Type.Integer(),
    startedAt: Timestamp,
    finishedAt: NullableTimestamp,
    isTimed: Type.Boolean(),
  }),
  {
    name: 'RuleRun',
    about: 'How a version of a rule was brought to all contacts. Afterwards it is asked about each contact that changes.',
    fields: {
      version: 'The version of the rule.',
      contacts: 'How many contacts it was compared with.',
      changes: 'How many of them joined or left by it.',
      startedAt: 'When that began.',
      finishedAt: 'When every contact was compared; null until then.',
      isTimed: 'Whether time alone changes its answers: then contacts join and leave as it goes by.',
    },
  },
)

export const EditedList = described(
  Type.Object({
    id: Uuid,
    name: Type.String(),
    type: oneOf('static', 'dynamic'),
    rule: NullableRule,
    members: Type.Integer(),
    run: Type.Union([RuleRun, Type.Null()]),
    ...editedFields,
  }),
  {
    name: 'EditedList',
    about: 'A list as it is stored.',
    fields: {
      id: 'The UUID of the list.',
      name: 'Its name, which never changes.',
      type: 'Whether members are added one by one, or by a rule; it never changes.',
      rule: `${ruleSentence} Null for a static one.`,
      members: 'How many members it has.',
      run: 'The run of its newest rule that was begun; null for a static list, and before the first.',
      ...editedSentences,
      version: 'The version of its rule; 0 for a static list.',
    },
    example: {
      ...{ id: exampleIds.list, name: 'Subscribers', type: 'dynamic', rule: ruleExample, members: 1 },
      run: { version: 1, contacts: 2, changes: 1, startedAt: exampleTime, finishedAt: exampleTime, isTimed: false },
      ...{ version: 1, changedAt: exampleTime, changedBy: 'ada@acme.example' },
      etag: '5f0c3c2f6fd2d9c4b2b6b2f0f1f7c3fb9a8a5a56f2d7b9d9f0b6f4c1d2e3a4b5',
    },
  },
)
export type EditedList = Static<typeof EditedList>

export const NewListBody = described(
  Type.Object({ name: nameText(255), type: oneOf('static', 'dynamic'), rule: Type.Optional(FreeObject) }),
  {
    name: 'NewListBody',
    about: 'A new list.',
    fields: {
      name: 'What it is called, for good.',
      type: 'Whether members are added one by one, or by a rule; for good.',
      rule: `${ruleSentence} A static one has none.`,
    },
    example: { name: 'Subscribers', type: 'dynamic', rule: ruleExample },
  },
)

export const EditListBody = described(Type.Object({ rule: FreeObject }), {
  name: 'EditListBody',
  about: 'The rule that a dynamic list has from now on.',
  fields: { rule: ruleSentence },
  example: { rule: ruleExample },
})

export const CountRuleBody = described(
  Type.Object({ rule: FreeObject, after: Type.Optional(Type.Unsafe<ContactId>({ type: 'string', format: 'uuid' })) }),
  {
    name: 'CountRuleBody',
    about: 'A rule whose matches are counted, and how far they were.',
    fields: { rule: ruleSentence, after: 'The `next` of the step before; without it the count begins.' },
    example: { rule: ruleExample },
  },
)

const MatchingPerson = described(Type.Object({ id: Uuid, name: nullableText() }), {
  name: 'MatchingPerson',
  about: 'Somebody whom a rule matches.',
  fields: { id: 'The UUID of the contact.', name: 'The name of the profile, else an address or number; null where it has none.' },
})

export const RuleCount = described(
  Type.Object({
    total: Type.Integer(),
    looked: Type.Integer(),
    matches: Type.Integer(),
    people: Type.Array(MatchingPerson),
    next: nullableText(),
  }),
  {
    name: 'RuleCount',
    about: 'One step of a count.',
    fields: {
      total: 'How many contacts the workspace has.',
      looked: 'How many contacts this step looked at.',
      matches: 'How many of them the rule matches.',
      people: 'The first of them.',
      next: 'What `after` of the next step is; null once all were looked at.',
    },
  },
)
export type RuleCount = Static<typeof RuleCount>

const versionFields = { ...versionHead, what: oneOf('created', 'changed') }
const versionSentences = { ...versionHeadSentences, what: 'What was done to the rule.' }

const ListVersion = described(Type.Object(versionFields), {
  name: 'ListVersion',
  about: 'One change of the rule of a list.',
  fields: versionSentences,
})
export const ListVersions = versionsOf(ListVersion, 'Changes of the rule of a list, the last first.')

export const ListVersionContent = described(Type.Object({ ...versionFields, content: FreeObject }), {
  name: 'ListVersionContent',
  about: 'A version of the rule of a list.',
  fields: { ...versionSentences, content: 'The rule.' },
})
