import { type Static, type TProperties, Type } from '@sinclair/typebox'
import type { ListId, TemplateId } from '@tidings/domain'
import { CampaignChannel, CampaignStatus } from './campaign.ts'
import { described } from './described.ts'
import { exampleIds } from './examples.ts'
import {
  CampaignUuid,
  ContactUuid,
  ListUuid,
  NullableTimestamp,
  nameText,
  nullableOneOf,
  nullableText,
  oneOf,
  TemplateUuid,
  Timestamp,
  text,
  Uuid,
  withRule,
} from './kinds.ts'

// Campaigns, as the dashboard makes and moves them and shows what became of them.

const { Optional } = Type

/** A schema of a request lets more properties be than one of an answer, so each has a name of its own. */
const variantOf = (name: string) =>
  described(Type.Object({ templateId: TemplateUuid, weight: Type.Integer({ minimum: 1, maximum: 1_000_000 }) }), {
    name,
    about: 'One of the templates that share the audience (D17).',
    fields: { templateId: 'The UUID of the template.', weight: 'Its part of the audience, relative to the weights of the others.' },
    example: { templateId: exampleIds.template, weight: 1 },
  })

const NullableListUuid = Type.Unsafe<ListId | null>({ type: ['string', 'null'], format: 'uuid' })
const NullableTemplateUuid = Type.Unsafe<TemplateId | null>({ type: ['string', 'null'], format: 'uuid' })

const settings = {
  listId: NullableListUuid,
  templateId: NullableTemplateUuid,
  variants: Type.Array(variantOf('WantedVariant'), { maxItems: 100 }),
  from: nullableText({ maxLength: 320 }),
  quietHours: oneOf('wait', 'skip'),
  tagIds: Type.Array(Uuid, { maxItems: 200 }),
  archived: Type.Boolean(),
} as const

const settingSentences = {
  listId: 'The UUID of the list whose members are the audience, or null.',
  templateId: 'The UUID of the template that everybody gets; null without one, and where there are variants.',
  variants: 'The templates that share the audience; empty where everybody gets one template.',
  from: 'Whom it is from: a sender address of the workspace for email, an SMS sender ID for text messages; null without one.',
  quietHours: 'Whether a message that meets quiet hours waits until they end, or is skipped (M34).',
  tagIds: 'The UUIDs of its tags.',
  archived: 'Whether it is put away.',
} as const

const settingsExample = {
  ...{ listId: exampleIds.list, templateId: exampleIds.template, variants: [], from: 'hello@acme.example' },
  ...{ quietHours: 'wait' as const, tagIds: [], archived: false },
}

const optional = <P extends TProperties>(properties: P) => Type.Partial(Type.Object(properties)).properties

/** A template for all, or templates that share the audience, but not both (D17). */
const oneKindOfTemplates = ({ templateId, variants = [] }: Readonly<{ templateId?: string | null; variants?: readonly unknown[] }>) =>
  templateId && variants.length > 0 ? 'variants must be empty where templateId is given' : undefined

const newCampaign = Type.Object({ name: nameText(255), channel: CampaignChannel, ...optional(settings) })

export const CreateCampaignBody = withRule(
  described(newCampaign, {
    name: 'CreateCampaignBody',
    about: 'A new campaign, a draft.',
    fields: { name: 'What it is called, for good.', channel: 'What it is sent by, for good.', ...settingSentences },
    example: { name: 'Spring sale', channel: 'email', ...settingsExample },
  }),
  oneKindOfTemplates,
)
export type CreateCampaignBody = Static<typeof newCampaign>

const allSettings = Type.Object(settings)

export const ConfigureCampaignBody = withRule(
  described(allSettings, {
    name: 'ConfigureCampaignBody',
    about: 'What a campaign is from now on. What is sent already is not changed by it.',
    fields: settingSentences,
    example: settingsExample,
  }),
  oneKindOfTemplates,
)
export type ConfigureCampaignBody = Static<typeof allSettings>

const NamedTemplate = described(Type.Object({ id: TemplateUuid, name: nullableText(), archived: Type.Boolean() }), {
  name: 'CampaignTemplate',
  about: 'A template that a campaign names.',
  fields: {
    id: 'The UUID of the template.',
    name: 'Its name; null where it is not shown yet.',
    archived: 'Whether it is archived: then the campaign cannot be sent.',
  },
})

const WAYS = ['operator', 'late', 'no_audience', 'no_valid_sender', 'template_gone', 'provider_refused', 'rule_computing'] as const

const campaign = Type.Object({
  ...{ id: CampaignUuid, name: Type.String(), channel: CampaignChannel, status: CampaignStatus },
  reason: nullableOneOf(...WAYS),
  ...{ ...settings, variants: Type.Array(variantOf('CampaignVariant')) },
  ...{ listName: nullableText(), templates: Type.Array(NamedTemplate) },
  ...{ scheduleAt: NullableTimestamp, startedAt: NullableTimestamp, createdAt: Timestamp },
  ...{ movedAt: Timestamp, movedBy: Type.String(), etag: Type.String() },
})

export const Campaign = described(campaign, {
  name: 'Campaign',
  about: 'A campaign: its settings, and where it is in its life.',
  fields: {
    ...{ id: 'The UUID of the campaign.', name: 'What it is called.', channel: 'What it is sent by.', status: 'Where it is in its life.' },
    reason: 'Why it is paused or failed, or its audience is not taken yet; else null.',
    ...settingSentences,
    listName: 'The name of its list, or null.',
    templates: 'The templates that it names, in the order of its variants.',
    scheduleAt: 'When it is or was to be sent, or null.',
    startedAt: 'When it was started, or null.',
    createdAt: 'When it was made.',
    movedAt: 'When the log says something of it last.',
    movedBy: 'Who caused that: the address of a user, `operator`, or what the service calls itself.',
    etag: 'What `If-Match` of a change must say.',
  },
})
export type Campaign = Static<typeof Campaign>

export const MoveCampaignBody = described(
  Type.Object({
    move: oneOf('schedule', 'unschedule', 'start', 'pause', 'resume', 'cancel'),
    at: Optional(text(40)),
    texts: Optional(oneOf('newest')),
  }),
  {
    name: 'MoveCampaignBody',
    about: 'A move of a campaign (N175).',
    fields: {
      move: 'The move; one that the state does not allow is refused.',
      at: 'When it is to be sent, of `schedule` alone: ISO 8601 with `Z` or an offset.',
      texts: 'Of `resume` alone: it goes on with the texts that its templates have now.',
    },
    example: { move: 'schedule', at: '2026-12-01T09:00:00+02:00' },
  },
)

const variant = Type.Integer({ minimum: 1, maximum: 100 })
const variantSentence = 'Which of its variants, counted from 1; by default the one that the contact gets.'

export const PreviewCampaignBody = described(
  Type.Object({ contact: text(320, { trim: true, notEmpty: true }), variant: Optional(variant) }),
  {
    name: 'PreviewCampaignBody',
    about: 'For whom a campaign is to be shown.',
    fields: { contact: 'The person: a UUID, an email or a phone number.', variant: variantSentence },
    example: { contact: 'ada@example.com' },
  },
)

const PreviewBlock = described(
  Type.Object({ outcome: oneOf('suppressed', 'skipped', 'waits'), reason: Type.String(), until: NullableTimestamp }),
  {
    name: 'CampaignPreviewBlock',
    about: 'What would keep a message back now.',
    fields: { outcome: 'What would become of it.', reason: 'Why.', until: 'When one that waits is judged again, or null.' },
  },
)

export const CampaignPreview = described(
  Type.Object({
    ...{ contactId: ContactUuid, variant: Type.Integer(), templateId: TemplateUuid, to: Type.String(), from: Type.String() },
    ...{ fromName: nullableText(), subject: nullableText(), hasText: Type.Boolean(), body: nullableText() },
    ...{ credits: Type.Integer(), segments: Type.Integer(), block: Type.Union([PreviewBlock, Type.Null()]) },
  }),
  {
    name: 'CampaignPreview',
    about: 'What a person would get of a campaign now, and what would keep it back.',
    fields: {
      ...{ contactId: 'The UUID of the contact.', variant: 'The variant, counted from 1.', templateId: 'The UUID of its template.' },
      ...{ to: 'Where it would go.', from: 'Whom it would be from.', fromName: 'The name of the sender of a mail, or null.' },
      ...{ subject: 'The subject of a mail; null for a text message.', hasText: 'Whether a mail has a part in plain text.' },
      ...{ body: 'What a text message says; null for a mail, whose content is an answer of its own.' },
      ...{ credits: 'What a text message costs; 0 for a mail.', segments: 'How many segments it has; 0 for a mail.' },
      block: 'What would keep it back now; null where nothing would.',
    },
  },
)
export type CampaignPreview = Static<typeof CampaignPreview>

export const CampaignContentParams = described(Type.Object({ id: CampaignUuid, contactId: ContactUuid }), {
  fields: { id: 'The UUID of the campaign.', contactId: 'The UUID of the contact.' },
})

export const CampaignContentQuery = described(
  Type.Object({ variant: Optional(variant), part: Optional(oneOf('html', 'text')), images: Optional(oneOf('none', 'https')) }),
  {
    fields: {
      variant: variantSentence,
      part: 'Which part of a mail; by default `html`.',
      images: 'Whether the frame may load images of the web; by default `none`.',
    },
  },
)

export const TestCampaignBody = described(
  Type.Object({ to: Optional(text(64, { trim: true, notEmpty: true })), variant: Optional(variant) }),
  {
    name: 'TestCampaignBody',
    about: 'A copy to try a campaign with. That of a mail goes to the address that the caller signs in with.',
    fields: { to: 'The phone number for a copy of a text message; not for a mail.', variant: variantSentence },
    example: {},
  },
)

export const TestCopySent = described(Type.Object({ messageId: Uuid, to: Type.String(), variant: Type.Integer() }), {
  name: 'TestCopySent',
  about: 'A copy that is on its way.',
  fields: { messageId: 'The UUID of the message.', to: 'Where it goes.', variant: 'The variant, counted from 1.' },
})

const count = Type.Integer()

const counts = {
  ...{ queued: count, sent: count, delivered: count, opened: count, clicked: count },
  ...{ bounced: count, complained: count, unsubscribed: count },
} as const

const countSentences = {
  queued: 'How many messages wait for their turn.',
  sent: 'How many the provider has.',
  delivered: 'How many were delivered.',
  opened: 'How many were opened by a person (M6).',
  clicked: 'How many a person clicked in.',
  bounced: 'How many bounced.',
  complained: 'How many were complained about.',
  unsubscribed: 'How many people left by them.',
} as const

const NotSent = described(Type.Object({ outcome: oneOf('skipped', 'suppressed', 'failed'), reason: Type.String(), messages: count }), {
  name: 'CampaignNotSent',
  about: 'Messages that were not sent for a reason.',
  fields: { outcome: 'What became of them.', reason: 'Why.', messages: 'How many.' },
})

const VariantFigures = described(Type.Object({ templateId: TemplateUuid, ...counts, notSent: Type.Array(NotSent) }), {
  name: 'CampaignVariantFigures',
  about: 'What became of the messages of a variant.',
  fields: { templateId: 'The UUID of its template.', ...countSentences, notSent: 'What was not sent, by reason.' },
})

export const CampaignFigures = described(
  Type.Object({
    ...{ status: CampaignStatus, reason: nullableOneOf(...WAYS), audience: count, waiting: count, ...counts },
    ...{ notSent: Type.Array(NotSent), startedAt: NullableTimestamp, finishedAt: NullableTimestamp },
    perMinute: Type.Unsafe<number | null>({ type: ['number', 'null'] }),
    secondsLeft: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    variants: Type.Array(VariantFigures),
  }),
  {
    name: 'CampaignFigures',
    about: 'What became of a campaign: what `campaign show` prints.',
    fields: {
      status: 'Where it is in its life.',
      reason: 'Why it is paused or failed, or its audience is not taken yet; else null.',
      audience: 'How many recipients there are; 0 until they are taken.',
      waiting: 'How many of them have no message yet.',
      ...countSentences,
      notSent: 'What was not sent, by reason.',
      startedAt: 'When it was started, or null.',
      finishedAt: 'When it was over, or null.',
      perMinute: 'Messages a minute that left the queue, on average since the start; null before it.',
      secondsLeft: 'How long it takes on at that rate; null where that is not known.',
      variants: 'The same of each variant.',
    },
  },
)
export type CampaignFigures = Static<typeof CampaignFigures>

export const AudienceQuery = described(Type.Object({ listId: ListUuid, channel: CampaignChannel }), {
  fields: { listId: 'The UUID of the list.', channel: 'What the campaign is sent by.' },
})

export const Audience = described(Type.Object({ members: count, mayGet: count, isEstimate: Type.Boolean() }), {
  name: 'CampaignAudience',
  about: 'How many members of a list may get a campaign now: consent, an address, and no block of the channel.',
  fields: {
    members: 'How many members the list has.',
    mayGet: 'How many of them may get it.',
    isEstimate: 'Whether that is an estimate, from a part of a long list.',
  },
})
export type Audience = Static<typeof Audience>
