import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { ContactUuid, nullableText, oneOf, Timestamp, text, Uuid } from './kinds.ts'
import { MessageChannel } from './message.ts'

// The first screen of a workspace: what was counted, what needs somebody, and what runs.

const LOCAL_DATE = '^(19[7-9]\\d|2\\d{3})-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$'

export const localDate = Type.String({ pattern: LOCAL_DATE })

export const FiguresQuery = described(
  Type.Object({
    from: localDate,
    to: localDate,
    zone: Type.Optional(text(64)),
    step: Type.Optional(oneOf('day', 'hour')),
    channel: Type.Optional(MessageChannel),
    kind: Type.Optional(oneOf('campaign', 'passcode', 'single')),
  }),
  {
    fields: {
      from: 'The first day, as `YYYY-MM-DD` in the time zone.',
      to: 'The last day, inclusive. Days are at most 400, and 31 where the step is an hour.',
      zone: 'The time zone in which days begin: a name of IANA or an offset; by default `UTC`.',
      step: 'How much time one step of the answer has; by default `day`.',
      channel: 'Only messages of this channel. Consents are not filtered.',
      kind: 'Only messages of a campaign, only passcodes, or only all others. Consents are not filtered.',
    },
  },
)

const count = Type.Integer()

const counts = {
  accepted: count,
  sent: count,
  delivered: count,
  bounced: count,
  complained: count,
  failed: count,
  suppressed: count,
  skipped: count,
  opened: count,
  clicked: count,
}

const countSentences = {
  accepted: 'Messages that were accepted.',
  sent: 'Messages that a provider took.',
  delivered: 'Messages that were delivered.',
  bounced: 'Messages that bounced.',
  complained: 'Messages that were reported as spam.',
  failed: 'Messages that failed.',
  suppressed: 'Messages that were not sent because their recipient is suppressed.',
  skipped: 'Messages of campaigns and flows that were not sent for a reason of the recipient.',
  opened: 'Mails that their recipient opened, each counted once.',
  clicked: 'Messages in which their recipient clicked, each counted once.',
}

const MessageCounts = described(Type.Object(counts), {
  name: 'MessageCounts',
  about: 'How often each outcome came, by when it came.',
  fields: countSentences,
})
export type MessageCounts = Static<typeof MessageCounts>

const FigureStep = described(Type.Object({ at: Timestamp, ...counts }), {
  name: 'FigureStep',
  about: 'The outcomes of one step of the period.',
  fields: { at: 'When the step begins. It ends where the next one begins.', ...countSentences },
})

const ConsentLine = described(
  Type.Object({ channel: oneOf('email', 'sms', 'push'), now: count, change: count, values: Type.Array(count) }),
  {
    name: 'ConsentLine',
    about: 'How many contacts are subscribed to a channel.',
    fields: {
      channel: 'The channel.',
      now: 'Contacts that are subscribed now.',
      change: 'How many more there were at the end of the period than at its beginning.',
      values: 'How many there were at the end of each step.',
    },
  },
)

export const readState = named(
  'ReadState',
  oneOf('current', 'counting', 'behind'),
  'Whether what is counted is all that the log says: `counting` while it is counted for the first time or catches up, `behind` where no process does.',
)

export const Figures = described(
  Type.Object({
    state: readState,
    zone: Type.String(),
    steps: Type.Array(FigureStep),
    until: Timestamp,
    totals: MessageCounts,
    consents: Type.Array(ConsentLine),
  }),
  {
    name: 'Figures',
    about: 'What was counted in a period.',
    fields: {
      state: 'Whether the figures are complete.',
      zone: 'The time zone in which days begin.',
      steps: 'The steps of the period, oldest first.',
      until: 'When the last step ends.',
      totals: 'The outcomes of the whole period.',
      consents: 'The channels, each with its line.',
    },
  },
)
export type Figures = Static<typeof Figures>

const Attention = described(
  Type.Object({
    kind: oneOf('dead_letters', 'webhook_failing', 'webhook_paused', 'credits_low', 'sender_unverified', 'provider_outage'),
    id: nullableText(),
    name: nullableText(),
    count: Type.Integer(),
    of: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  }),
  {
    name: 'Attention',
    about: 'Something that needs somebody.',
    fields: {
      kind: 'What it is.',
      id: 'The UUID of what it is about; null where it is about the workspace.',
      name: 'What it is about, as people call it: a label or a host, a domain, a channel.',
      count: 'How many there are: open dead letters, failed tries, credits that are left, otherwise 1.',
      of: 'Of how many: the tries of the last day; otherwise null.',
    },
  },
)
export type Attention = Static<typeof Attention>

const RunningCampaign = described(
  Type.Object({ id: Uuid, name: Type.String(), status: Type.String(), recipients: Type.Integer(), begun: Type.Integer() }),
  {
    name: 'RunningCampaign',
    about: 'A campaign that is being sent, or paused while it was.',
    fields: {
      id: 'The UUID of the campaign.',
      name: 'Its name.',
      status: 'Whether it is sent or paused.',
      recipients: 'Its recipients; 0 until they are taken.',
      begun: 'Recipients whose message was begun.',
    },
  },
)

const RunningFlow = described(Type.Object({ id: Uuid, name: Type.String(), paused: Type.Boolean(), inside: Type.Integer() }), {
  name: 'RunningFlow',
  about: 'A flow with contacts inside.',
  fields: {
    id: 'The UUID of the flow.',
    name: 'Its name.',
    paused: 'Whether it is paused.',
    inside: 'Contacts that are inside.',
  },
})

const Credits = described(Type.Object({ available: Type.Integer(), held: Type.Integer() }), {
  name: 'OverviewCredits',
  about: 'The SMS credits of the workspace.',
  fields: { available: 'Credits that can be spent.', held: 'Credits that are held for messages under way.' },
})

const WebhookHealth = described(
  Type.Object({
    id: Uuid,
    name: Type.String(),
    active: Type.Boolean(),
    waiting: Type.Integer(),
    tries: Type.Integer(),
    failed: Type.Integer(),
  }),
  {
    name: 'WebhookHealth',
    about: 'How the tries of an endpoint went within the last day, to ten minutes.',
    fields: {
      id: 'The UUID of the endpoint.',
      name: 'Its label, or the host of its address.',
      active: 'Whether events are delivered to it.',
      waiting: 'Deliveries that wait.',
      tries: 'Tries of the last day.',
      failed: 'How many of these failed.',
    },
  },
)

export const Overview = described(
  Type.Object({
    attention: Type.Array(Attention),
    credits: Type.Union([Credits, Type.Null()]),
    campaigns: Type.Array(RunningCampaign),
    flows: Type.Array(RunningFlow),
    webhooks: Type.Union([Type.Array(WebhookHealth), Type.Null()]),
  }),
  {
    name: 'Overview',
    about: 'What needs somebody, and what runs now.',
    fields: {
      attention: 'What needs somebody; of dead letters and webhooks for admins alone.',
      credits: 'SMS credits; null of a workspace that never had any.',
      campaigns: 'Campaigns under way.',
      flows: 'Flows with contacts inside.',
      webhooks: 'Webhook endpoints; null for members.',
    },
  },
)
export type Overview = Static<typeof Overview>

const ChecklistLine = described(
  Type.Object({
    step: oneOf('send', 'see', 'defer', 'webhook', 'campaign', 'invite', 'key', 'send_for_real'),
    done: Type.Boolean(),
  }),
  {
    name: 'ChecklistLine',
    about: 'A line of the list of first steps.',
    fields: { step: 'What is to be done.', done: 'Whether the workspace shows that it was.' },
  },
)

export const Checklist = described(Type.Object({ items: Type.Array(ChecklistLine) }), {
  name: 'Checklist',
  about: 'The first steps of a workspace.',
  fields: { items: 'The lines, in their order.' },
})
export type Checklist = Static<typeof Checklist>

export const ExampleData = described(
  Type.Object({ made: Type.Integer(), campaignId: Uuid, flowId: Uuid, contacts: Type.Array(ContactUuid) }),
  {
    name: 'ExampleData',
    about: 'The example data that the workspace has now. None of it sends anything by itself.',
    fields: {
      made: 'How many changes this call made; 0 where all was there.',
      campaignId: 'The UUID of the draft campaign.',
      flowId: 'The UUID of the flow, which is paused.',
      contacts: 'The UUIDs of the people; the last one has said no.',
    },
  },
)
export type ExampleData = Static<typeof ExampleData>
