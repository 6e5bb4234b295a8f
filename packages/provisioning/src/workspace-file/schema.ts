import { type Static, Type } from '@sinclair/typebox'
import { MAX_BALANCE, MAX_FLOWS, MAX_PUSH_LENGTHS, TAG_COLORS } from '@tidings/domain'
import {
  CampaignOfFile,
  ConnectorOfFile,
  CustomEventOfFile,
  CustomFieldOfFile,
  FeaturesOfFile,
  FlowOfFile,
  FormOfFile,
  FormOriginsOfFile,
  FrequencyCapOfFile,
  QuietHoursOfFile,
  SmsRepliesOfFile,
  SmsSenderIdOfFile,
  StopWordsOfFile,
  UserOfFile,
} from './record-schemas.ts'

const strict = { additionalProperties: false }
const Flag = Type.Optional(Type.Boolean())
const Text = Type.Optional(Type.String())

/** The identity of a workspace: `slug` never changes, the rest is set anew by every apply. */
const Workspace = Type.Object(
  {
    slug: Type.String({ pattern: '^[a-z0-9-]{1,24}$' }),
    name: Type.String({ minLength: 1, maxLength: 255 }),
    plan: Type.Optional(
      Type.Union([Type.Literal('free'), Type.Literal('starter'), Type.Literal('pro'), Type.Literal('enterprise')], { default: 'free' }),
    ),
  },
  strict,
)

const ApiKey = Type.Object({ name: Type.String({ minLength: 1, maxLength: 255 }), publishable: Flag }, strict)
const SenderDomain = Type.Object({ domain: Type.String({ minLength: 3, maxLength: 253 }), verified: Flag, blocklisted: Flag }, strict)
const SenderAddress = Type.Object(
  { email: Type.String({ minLength: 3, maxLength: 320 }), name: Type.Optional(Type.String({ maxLength: 255 })), verified: Flag },
  strict,
)

const named = {
  name: Type.String({ minLength: 1, maxLength: 255 }),
  fromName: Type.Optional(Type.String({ maxLength: 255 })),
  archived: Flag,
}
const EmailTemplate = Type.Object(
  {
    ...named,
    channel: Type.Literal('email'),
    subject: Type.String({ maxLength: 500 }),
    html: Type.String({ maxLength: 500_000 }),
    text: Text,
  },
  strict,
)
const SmsTemplate = Type.Object({ ...named, channel: Type.Literal('sms'), body: Type.String({ maxLength: 1600 }) }, strict)
const PushTemplate = Type.Object(
  {
    ...named,
    channel: Type.Literal('push'),
    push: Type.Object(
      {
        title: Type.String({ minLength: 1, maxLength: MAX_PUSH_LENGTHS.title }),
        body: Type.String({ maxLength: MAX_PUSH_LENGTHS.body }),
        url: Type.Optional(Type.String({ maxLength: MAX_PUSH_LENGTHS.url })),
        icon: Type.Optional(Type.String({ maxLength: MAX_PUSH_LENGTHS.icon })),
      },
      strict,
    ),
  },
  strict,
)

/** `firstMistake` parses the rule of a dynamic list. */
const List = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 255 }),
    type: Type.Union([Type.Literal('static'), Type.Literal('dynamic')]),
    rule: Type.Optional(Type.Unknown()),
  },
  strict,
)

const Tag = Type.Object(
  {
    // The name is not blank, and has at most 60 characters without the blanks around it.
    name: Type.String({ pattern: '^\\s*\\S(.{0,58}\\S)?\\s*$' }),
    color: Type.Optional(Type.Union(TAG_COLORS.map((color) => Type.Literal(color)))),
  },
  strict,
)

/** What `tidings apply` takes today. */
export const WorkspaceFile = Type.Object(
  {
    workspace: Workspace,
    users: Type.Optional(Type.Array(UserOfFile)),
    apiKeys: Type.Optional(Type.Array(ApiKey)),
    features: Type.Optional(FeaturesOfFile),
    formOrigins: Type.Optional(FormOriginsOfFile),
    doubleOptIn: Type.Optional(Type.Literal('required')),
    credits: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_BALANCE })),
    country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
    timezone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    quietHours: Type.Optional(QuietHoursOfFile),
    frequencyCap: Type.Optional(FrequencyCapOfFile),
    tracking: Flag,
    customFields: Type.Optional(Type.Array(CustomFieldOfFile)),
    senderDomains: Type.Optional(Type.Array(SenderDomain)),
    senderAddresses: Type.Optional(Type.Array(SenderAddress)),
    smsSenderIds: Type.Optional(Type.Array(SmsSenderIdOfFile)),
    smsReplies: Type.Optional(SmsRepliesOfFile),
    stopWords: Type.Optional(StopWordsOfFile),
    templates: Type.Optional(Type.Array(Type.Union([EmailTemplate, SmsTemplate, PushTemplate]))),
    lists: Type.Optional(Type.Array(List)),
    tags: Type.Optional(Type.Array(Tag)),
    campaigns: Type.Optional(Type.Array(CampaignOfFile)),
    customEvents: Type.Optional(Type.Array(CustomEventOfFile)),
    connectors: Type.Optional(Type.Array(ConnectorOfFile, { maxItems: 20 })),
    forms: Type.Optional(Type.Array(FormOfFile, { maxItems: 1_000 })),
    flows: Type.Optional(Type.Array(FlowOfFile, { maxItems: MAX_FLOWS })),
  },
  strict,
)
export type WorkspaceFile = Static<typeof WorkspaceFile>
export type TemplateOfFile = NonNullable<WorkspaceFile['templates']>[number]
