import { type Static, Type } from '@sinclair/typebox'
import { EditFlowBody, FlowUuid, triggerMistake } from './dashboard-flows.ts'
import { described } from './described.ts'
import { exampleIds } from './examples.ts'
import { ContactUuid, EmailAddress, FreeObject, nullableOneOf, nullableText, oneOf, Timestamp, text, withRule } from './kinds.ts'

// A flow that is tried in the dashboard: nothing of it is stored.

const NullableInteger = Type.Unsafe<number | null>({ type: ['integer', 'null'] })

const ExamplePerson = described(
  Type.Object({
    ...{ firstName: Type.Optional(text(255)), lastName: Type.Optional(text(255)) },
    ...{ email: Type.Optional(EmailAddress), phone: Type.Optional(text(32)) },
    tags: Type.Optional(Type.Array(text(255), { maxItems: 100 })),
    customProperties: Type.Optional(FreeObject),
    agrees: Type.Array(oneOf('email', 'sms', 'push'), { maxItems: 3 }),
  }),
  {
    name: 'ExamplePerson',
    about: 'Somebody who is in no workspace, for whom a flow is tried.',
    fields: {
      firstName: 'The first name.',
      lastName: 'The last name.',
      email: 'The email address.',
      phone: 'The phone number; its local form is that of the country of the workspace.',
      tags: 'The tags.',
      customProperties: 'The custom properties.',
      agrees: 'The channels whose messages the person agrees to; with `push` a browser is registered.',
    },
  },
)

const asked = Type.Object({
  flow: EditFlowBody,
  flowId: Type.Optional(FlowUuid),
  contactId: Type.Optional(ContactUuid),
  example: Type.Optional(ExamplePerson),
  properties: Type.Optional(FreeObject),
})

export const TryFlowBody = withRule(
  described(asked, {
    name: 'TryFlowBody',
    about: 'Steps as they are written now, and the person for whom they are walked: one of the two.',
    fields: {
      flow: 'The trigger and the steps.',
      flowId: 'The UUID of the flow that would get them; left out of one that is not made yet.',
      contactId: 'The UUID of a contact of the workspace.',
      example: 'Somebody who is in no workspace.',
      properties: 'What the event says: of `custom_event`, and of no other trigger.',
    },
    example: {
      flow: { trigger: { type: 'contact_created' as const }, steps: [{ wait: { minutes: 60 } }] },
      contactId: exampleIds.contact,
    },
  }),
  ({ flow, contactId, example, properties }: TryFlowBody) => {
    if ((contactId === undefined) === (example === undefined)) return 'one of contactId and example is required'
    if (properties !== undefined && flow.trigger.type !== 'custom_event') return 'properties is only a field of custom_event'
    return triggerMistake(flow)
  },
)
export type TryFlowBody = Static<typeof asked>

const TriedStep = described(
  Type.Object({
    ...{ number: Type.Integer(), path: Type.String(), at: Timestamp },
    outcome: oneOf('waits', 'matched', 'otherwise', 'sends', 'no_address', 'template_gone', 'not_allowed', 'not_rendered'),
    ...{ minutes: NullableInteger, channel: nullableOneOf('email', 'sms', 'push') },
    ...{ to: nullableText(), from: nullableText(), browsers: NullableInteger, text: nullableText(), credits: NullableInteger },
    reason: nullableText(),
  }),
  {
    name: 'TriedFlowStep',
    about: 'What a step would do.',
    fields: {
      number: 'Which step, counted from 0 in the order in which they are written.',
      path: 'Where it is in the workspace file.',
      at: 'When, if the person entered now; quiet hours and the frequency cap are not looked at.',
      outcome: 'What it would do; `matched` and `otherwise` are the ways from a branch.',
      minutes: 'How long it waits, or null.',
      channel: 'What it sends by, or would, or null.',
      to: 'The address that it sends to, or null.',
      from: 'Whom the message is from, or null.',
      browsers: 'How many browsers a push goes to, or null.',
      text: 'The subject of a mail, the text of an SMS, or the title of a push; null of what sends nothing.',
      credits: 'What an SMS costs, or null.',
      reason: 'Why a message is not sent, or the code of what cannot be rendered, or null.',
    },
  },
)

const ENTRIES = ['enters', 'paused', 'retired', 'inside', 'made_already', 'unconfirmed', 'member_already'] as const

export const TriedFlow = described(
  Type.Object({
    entry: oneOf(...ENTRIES),
    steps: Type.Array(TriedStep),
    ends: oneOf('finished', 'no_consent', 'suppressed', 'template_gone'),
  }),
  {
    name: 'TriedFlow',
    about: 'The way of a person through steps, as it would be now.',
    fields: {
      entry:
        'Whether the flow would let the person in, by what triggers it. Not where it is paused or retired, the person is inside it, was made before (`unconfirmed`: with its first confirmation), or is on the list.',
      steps: 'The steps on the way of somebody whom it lets in, in the order in which they are taken.',
      ends: 'How the run would end.',
    },
  },
)
export type TriedFlow = Static<typeof TriedFlow>
