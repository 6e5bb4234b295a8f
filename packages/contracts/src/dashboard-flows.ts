import { type Static, Type } from '@sinclair/typebox'
import { type ContactId, FLOW_LIMITS, type FlowId } from '@tidings/domain'
import { described } from './described.ts'
import { exampleIds } from './examples.ts'
import {
  FreeObject,
  ListUuid,
  NullableTimestamp,
  nameText,
  nullableOneOf,
  nullableText,
  oneOf,
  Timestamp,
  text,
  Uuid,
  withRule,
} from './kinds.ts'
import { readState } from './overview.ts'

// Flows, as the dashboard shows, makes and stops them.

export const FlowUuid = Type.Unsafe<FlowId>(Uuid)
const NullableInteger = Type.Unsafe<number | null>({ type: ['integer', 'null'] })

export const FlowParams = described(Type.Object({ id: FlowUuid }), { fields: { id: 'The UUID of the flow.' } })
export const FlowProfileParams = described(Type.Object({ id: FlowUuid, contactId: Type.Unsafe<ContactId>(Uuid) }), {
  fields: { id: 'The UUID of the flow.', contactId: 'The UUID of the contact.' },
})

const NamedThing = described(Type.Object({ id: Uuid, name: nullableText() }), {
  name: 'FlowReference',
  about: 'A list or template that a flow names.',
  fields: { id: 'Its UUID.', name: 'Its name; null where it is not shown any more.' },
})

const FlowTrigger = described(
  Type.Object({
    type: oneOf('contact_created', 'list_joined', 'custom_event'),
    list: Type.Union([NamedThing, Type.Null()]),
    event: nullableText(),
  }),
  {
    name: 'FlowTrigger',
    about: 'What lets a contact into a flow (M10).',
    fields: { type: 'The kind of event.', list: 'Which list is joined, or null.', event: 'The name of the custom event, or null.' },
  },
)

const listed = {
  ...{ id: FlowUuid, name: Type.String(), status: oneOf('active', 'paused', 'retired'), version: Type.Integer() },
  ...{ trigger: FlowTrigger, inside: Type.Integer(), finished: Type.Integer() },
}
const listedSentences = {
  id: 'The UUID of the flow.',
  name: 'What it is called.',
  status: 'Whether it lets contacts in; a paused one also keeps what comes due (D11).',
  version: 'How often its trigger or steps were defined.',
  trigger: 'What lets a contact in.',
  inside: 'Runs that are not over.',
  finished: 'Runs that are over, for any reason.',
} as const

const ListedFlow = described(Type.Object(listed), { name: 'ListedFlow', about: 'A flow, among others.', fields: listedSentences })
export type ListedFlow = Static<typeof ListedFlow>

export const FlowList = described(Type.Object({ items: Type.Array(ListedFlow) }), {
  name: 'FlowList',
  about: 'The flows of a workspace, which has at most 200.',
  fields: { items: 'The flows, oldest first.' },
})
export type FlowList = Static<typeof FlowList>

const FlowStep = described(
  Type.Object({
    ...{ path: Type.String(), type: oneOf('wait', 'send', 'branch'), minutes: NullableInteger },
    ...{ channel: nullableOneOf('email', 'sms', 'push'), template: Type.Union([NamedThing, Type.Null()]), from: nullableText() },
    rule: Type.Union([FreeObject, Type.Null()]),
    ...{ next: NullableInteger, matched: NullableInteger, otherwise: NullableInteger },
    ...{ inside: Type.Integer(), passed: Type.Integer(), left: Type.Integer() },
  }),
  {
    name: 'FlowStepCounts',
    about: 'A step of a flow, with how many runs of its newest version are where.',
    fields: {
      path: 'Where it is in the workspace file.',
      type: 'What it does.',
      minutes: 'How long a wait is, or null.',
      channel: 'What a message is sent by, or null.',
      template: 'What a message says, or null.',
      from: 'Whom a message is from; null for a push and for what is no message.',
      rule: 'What a branch asks, or null.',
      next: 'The number of the step that follows, counted from 0; null of a branch, and where the flow ends.',
      matched: 'The step that follows for those whom the rule of a branch matches; else null.',
      otherwise: 'The step that follows for all others; else null.',
      inside: 'Runs that are at it: it waits, its message is under way, or it is due.',
      passed: 'Runs that went on from it, to the next or to the end.',
      left: 'Runs that ended at it for another reason than the end of the flow.',
    },
  },
)

const OlderVersion = described(Type.Object({ version: Type.Integer(), inside: Type.Integer() }), {
  name: 'OlderFlowVersion',
  about: 'An older version of a flow that people are still inside of.',
  fields: { version: 'Which.', inside: 'Runs of it that are not over.' },
})

const FlowEnd = described(Type.Object({ reason: Type.String(), runs: Type.Integer() }), {
  name: 'FlowEnd',
  about: 'How runs of a flow ended.',
  fields: { reason: 'Why.', runs: 'How many did, of all versions.' },
})

export const ShownFlow = described(
  Type.Object({
    ...listed,
    ...{ steps: Type.Array(FlowStep), olderVersions: Type.Array(OlderVersion), ends: Type.Array(FlowEnd) },
    counts: readState,
    ...{ changedAt: Timestamp, changedBy: Type.String(), etag: Type.String() },
  }),
  {
    name: 'Flow',
    about: 'A flow by its steps, and who is where in it.',
    fields: {
      ...listedSentences,
      steps: 'The steps of its newest version, numbered from 0 in the order in which they are written.',
      olderVersions: 'Older versions with somebody inside; each finishes the version that it entered (M38).',
      ends: 'How runs ended, the most frequent first.',
      counts: 'Whether the counts of steps and ends are complete.',
      changedAt: 'When it was changed last.',
      changedBy: 'Who did: the address of a user, or what the log calls what is none.',
      etag: 'What `If-Match` of a change must say.',
    },
  },
)
export type ShownFlow = Static<typeof ShownFlow>

const RunStep = described(
  Type.Object({
    at: Timestamp,
    type: Type.String(),
    step: NullableInteger,
    messageId: nullableText({ format: 'uuid' }),
    says: Type.String(),
  }),
  {
    name: 'FlowRunStep',
    about: 'What happened in a run.',
    fields: {
      at: 'When.',
      type: 'The event of the log.',
      step: 'The step, counted from 0; null of the entry and the end.',
      messageId: 'The UUID of the message that it is about, or null.',
      says: 'The same in words.',
    },
  },
)

const FlowRun = described(
  Type.Object({
    ...{ runId: Uuid, version: Type.Integer(), enteredAt: Timestamp, endedAt: NullableTimestamp },
    ...{ reason: nullableText(), steps: Type.Array(RunStep) },
  }),
  {
    name: 'FlowRun',
    about: "A contact's way through one version of a flow.",
    fields: {
      runId: 'The UUID of the run.',
      version: 'The version that the contact entered.',
      enteredAt: 'When it did.',
      endedAt: 'When the run ended, or null.',
      reason: 'Why it ended, or null.',
      steps: 'What happened, oldest first.',
    },
  },
)

export const FlowRuns = described(Type.Object({ items: Type.Array(FlowRun), earlier: Type.Boolean() }), {
  name: 'FlowRuns',
  about: 'The last runs of a contact through a flow.',
  fields: { items: 'The runs, the last first.', earlier: 'Whether there are earlier ones, which are not shown.' },
})
export type FlowRuns = Static<typeof FlowRuns>

const AskedTrigger = described(
  Type.Object({
    type: oneOf('contact_created', 'list_joined', 'custom_event'),
    list: Type.Optional(ListUuid),
    event: Type.Optional(text(128, { notEmpty: true })),
  }),
  {
    name: 'AskedFlowTrigger',
    about: 'What is to let a contact in (M10).',
    fields: {
      type: 'The kind of event.',
      list: 'The UUID of the list that is joined: of `list_joined`, and of no other.',
      event: 'The name of the event: of `custom_event`, and of no other.',
    },
  },
)

const asked = { trigger: AskedTrigger, steps: Type.Array(FreeObject, { minItems: 1, maxItems: FLOW_LIMITS.steps }) }
const askedSentences = {
  trigger: 'What lets a contact in.',
  steps: 'The steps as a workspace file has them, with the id of a template for its name: `wait`, `send` or `branch` (M10).',
}
const askedExample = {
  trigger: { type: 'list_joined' as const, list: exampleIds.list },
  steps: [{ send: { channel: 'email', template: exampleIds.template, from: 'news@acme.example' } }, { wait: { minutes: 1_440 } }],
}

/** Each kind of trigger names what it needs, and nothing else. */
export function triggerMistake({ trigger: { type, list, event } }: Readonly<{ trigger: Static<typeof AskedTrigger> }>): string | undefined {
  if (type === 'list_joined' && list === undefined) return 'trigger.list is missing'
  if (type === 'custom_event' && event === undefined) return 'trigger.event is missing'
  if (type !== 'list_joined' && list !== undefined) return 'trigger.list is only a field of list_joined'
  return type !== 'custom_event' && event !== undefined ? 'trigger.event is only a field of custom_event' : undefined
}

export const NewFlowBody = withRule(
  described(Type.Object({ name: nameText(255), ...asked }), {
    name: 'NewFlowBody',
    about: 'A new flow.',
    fields: { name: 'What it is called, for good.', ...askedSentences },
    example: { name: 'Welcome', ...askedExample },
  }),
  triggerMistake,
)

export const EditFlowBody = withRule(
  described(Type.Object(asked), {
    name: 'EditFlowBody',
    about: 'What lets contacts into a flow from now on, and the steps that they go.',
    fields: askedSentences,
    example: askedExample,
  }),
  triggerMistake,
)
export type EditFlowBody = Static<typeof EditFlowBody>
