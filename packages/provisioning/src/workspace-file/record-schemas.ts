import { Type } from '@sinclair/typebox'
import { CUSTOM_FIELD_KINDS, FEATURES, FIRST_CAMPAIGN_STATUSES, MAX_STOP_WORD, MAX_STOP_WORDS, USER_ROLES } from '@tidings/domain'

const strict = { additionalProperties: false }
const Flag = Type.Optional(Type.Boolean())
const Name = Type.String({ minLength: 1, maxLength: 255 })
const EventName = Type.String({ minLength: 1, maxLength: 128 })
const oneOf = <const Word extends string>(words: readonly Word[]) => Type.Union(words.map((word) => Type.Literal(word)))
const OptionalName = Type.Optional(Name)

export const UserOfFile = Type.Object(
  {
    email: Type.String({ pattern: '^\\s*[^\\s@]+@[^\\s@]+\\s*$', maxLength: 320 }),
    password: Type.String({ minLength: 8, maxLength: 1_024 }),
    role: oneOf(USER_ROLES),
  },
  strict,
)

const Option = Type.Object({ label: Name, value: Name }, strict)

export const CustomFieldOfFile = Type.Object(
  {
    key: Type.String({ minLength: 1, maxLength: 128 }),
    label: Name,
    kind: oneOf(CUSTOM_FIELD_KINDS),
    options: Type.Optional(Type.Array(Option, { maxItems: 1_000 })),
  },
  strict,
)

/** What phones show as a sender: up to eleven letters, digits and a few signs, no blank at either end. `senderNumber` reads the own number behind it. */
export const SmsSenderIdOfFile = Type.Object(
  {
    id: Type.String({ pattern: '^[A-Za-z0-9._&+-]([A-Za-z0-9 ._&+-]{0,9}[A-Za-z0-9._&+-])?$' }),
    number: Type.Optional(Type.Unknown()),
    status: Type.Optional(oneOf(['pending', 'approved', 'rejected'])),
  },
  strict,
)

const Answer = Type.Optional(Type.String({ pattern: '\\S', maxLength: 1_600 }))

/** What a person gets who texts a keyword (N188); one that is left out is not answered. */
export const SmsRepliesOfFile = Type.Object({ stop: Answer, start: Answer, help: Answer }, strict)

/** Words that withdraw the consent to text messages, beside STOP and its like (M49). */
export const StopWordsOfFile = Type.Array(Type.String({ minLength: 1, maxLength: MAX_STOP_WORD }), { maxItems: MAX_STOP_WORDS })

export const CustomEventOfFile = Type.Object(
  {
    name: EventName,
    label: OptionalName,
    properties: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 500 })),
    retired: Flag,
  },
  strict,
)

export const FeaturesOfFile = Type.Array(oneOf(FEATURES))

/** Origins as people write them; `formOrigin` gives the form that a browser sends. */
export const FormOriginsOfFile = Type.Array(Type.String({ minLength: 1, maxLength: 2_048 }), { maxItems: 100 })

/** `id` is the `formId` of a subscription: as long as the contract lets it be. */
export const FormOfFile = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 120 }),
    list: Name,
    doubleOptIn: Flag,
    template: OptionalName,
    from: Type.Optional(Type.String({ minLength: 3, maxLength: 320 })),
    archived: Flag,
  },
  strict,
)

/** `secret` is sent in a header: printable ASCII. */
export const ConnectorOfFile = Type.Object({ name: Name, secret: Type.String({ pattern: '^[!-~]{8,255}$' }) }, strict)

const Trigger = Type.Union([
  Type.Object({ type: Type.Literal('contact_created') }, strict),
  Type.Object({ type: Type.Literal('list_joined'), list: Name }, strict),
  Type.Object({ type: Type.Literal('custom_event'), event: EventName }, strict),
])

/** Steps nest: `parseSteps` checks them. */
export const FlowOfFile = Type.Object(
  { name: Name, trigger: Trigger, steps: Type.Array(Type.Unknown(), { maxItems: 100 }), retired: Flag },
  strict,
)

const LocalTime = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' })

/** Null: none any more. */
export const QuietHoursOfFile = Type.Union([Type.Object({ from: LocalTime, to: LocalTime }, strict), Type.Null()])
export const FrequencyCapOfFile = Type.Union([
  Type.Object({ messages: Type.Integer({ minimum: 1, maximum: 1_000 }), days: Type.Integer({ minimum: 1, maximum: 90 }) }, strict),
  Type.Null(),
])

/** `weight`: relative to those of the other variants (D17). */
const Variant = Type.Object({ template: Name, weight: Type.Integer({ minimum: 1, maximum: 1_000_000 }) }, strict)

/** `variants`: what is sent instead of `template`, or a number that `multiVariant` alone shows (M37). */
export const CampaignOfFile = Type.Object(
  {
    name: Name,
    channel: oneOf(['email', 'sms']),
    status: Type.Optional(oneOf(FIRST_CAMPAIGN_STATUSES)),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: 200 })),
    list: OptionalName,
    template: OptionalName,
    from: Type.Optional(Type.String({ minLength: 1, maxLength: 320 })),
    archived: Flag,
    quietHours: Type.Optional(oneOf(['wait', 'skip'])),
    variants: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 100 }), Type.Array(Variant, { minItems: 1, maxItems: 100 })])),
  },
  strict,
)
