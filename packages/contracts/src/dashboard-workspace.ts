import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { exampleIds } from './examples.ts'
import { nameText, nullableText, objectOrNull, text, Uuid, withRule } from './kinds.ts'
import { Plan, WorkspaceStatus } from './workspace.ts'

// The settings of a workspace, as the dashboard shows and changes them: three records, each with an etag of its own (M80).

const LocalTime = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' })

const general = {
  name: nameText(255),
  country: Type.String({ pattern: '^[A-Z]{2}$' }),
  tracking: Type.Boolean(),
}
const generalSentences = {
  name: 'What people call it.',
  country: 'The country of phone numbers that name none: two letters of ISO 3166.',
  tracking: 'Whether opens and clicks of single mails are counted too (M5).',
} as const
const generalExample = { name: 'Acme Ltd', country: 'IL', tracking: false }

const QuietHours = described(Type.Object({ from: LocalTime, to: LocalTime }), {
  fields: { from: 'When they begin, like `21:00`.', to: 'When they end, that day or the next.' },
})
const FrequencyCap = described(
  Type.Object({ messages: Type.Integer({ minimum: 1, maximum: 1_000 }), days: Type.Integer({ minimum: 1, maximum: 90 }) }),
  { fields: { messages: 'The most messages to one contact by one channel.', days: 'Within so many days.' } },
)
const marketing = {
  timezone: text(64, { trim: true, notEmpty: true, timezone: true }),
  quietHours: objectOrNull(QuietHours),
  frequencyCap: objectOrNull(FrequencyCap),
}
const marketingSentences = {
  timezone: 'The time zone of contacts without one: a name of IANA.',
  quietHours: 'When no marketing is sent, by the clock of the contact (M34); null for never.',
  frequencyCap: 'How much marketing one contact gets (M34); null for no limit.',
} as const
const marketingExample = { timezone: 'Asia/Jerusalem', quietHours: { from: '21:00', to: '08:00' }, frequencyCap: { messages: 3, days: 7 } }

const reply = nullableText({ maxLength: 1_600 })
const replies = { stop: reply, start: reply, help: reply }
const replySentences = {
  stop: 'What a person gets who texts STOP (N188); null for no answer.',
  start: 'What a person gets who texts START; null for no answer.',
  help: 'What a person gets who texts HELP; null for no answer.',
} as const
const replyExample = { stop: 'You get no more messages from us.', start: null, help: 'Acme: write to help@acme.example.' }

export const ChangeGeneralBody = described(Type.Object(general), {
  name: 'ChangeGeneralBody',
  about: 'What a workspace is called, and how it reads numbers and counts opens.',
  fields: generalSentences,
  example: generalExample,
})

/** Hours that end when they begin are none. */
export const ChangeMarketingBody = withRule(
  described(Type.Object(marketing), {
    name: 'ChangeMarketingBody',
    about: 'When and how often marketing is sent.',
    fields: marketingSentences,
    example: marketingExample,
  }),
  ({ quietHours }: Readonly<{ quietHours: Static<typeof QuietHours> | null }>) =>
    quietHours?.from === quietHours?.to && quietHours !== null ? 'quietHours.to must be another time than quietHours.from' : undefined,
)

export const SetRepliesBody = withRule(
  described(Type.Object(replies), {
    name: 'SetRepliesBody',
    about: 'What people get who text a keyword.',
    fields: replySentences,
    example: replyExample,
  }),
  (given: Readonly<Record<keyof typeof replies, string | null>>) => {
    const blank = Object.entries(given).find(([, answer]) => answer?.trim() === '')
    return blank && `${blank[0]} must be a text that is not blank, or null`
  },
)

const etag = { etag: Type.String() }
const etagSentence = { etag: 'What `If-Match` of a change must say.' } as const

const GeneralSettings = described(Type.Object({ ...general, ...etag }), {
  name: 'GeneralSettings',
  about: 'What a workspace is called, and how it reads numbers and counts opens.',
  fields: { ...generalSentences, ...etagSentence },
})
const MarketingSettings = described(Type.Object({ ...marketing, ...etag }), {
  name: 'MarketingSettings',
  about: 'When and how often marketing is sent.',
  fields: { ...marketingSentences, ...etagSentence },
})
const ReplySettings = described(Type.Object({ ...replies, ...etag }), {
  name: 'ReplySettings',
  about: 'What people get who text a keyword.',
  fields: { ...replySentences, ...etagSentence },
})

export const WorkspaceSettings = described(
  Type.Object({
    ...{ id: Uuid, slug: Type.String(), plan: Plan, status: WorkspaceStatus },
    ...{ general: GeneralSettings, marketing: MarketingSettings, replies: ReplySettings },
  }),
  {
    name: 'WorkspaceSettings',
    about: 'A workspace and its settings.',
    fields: {
      id: 'The UUID of the workspace.',
      slug: 'Its public name, which never changes.',
      plan: 'Its plan.',
      status: 'Whether it may be used.',
      general: 'What it is called, and how it reads numbers and counts opens.',
      marketing: 'When and how often marketing is sent.',
      replies: 'What people get who text a keyword.',
    },
    example: {
      ...{ id: exampleIds.workspace, slug: 'acme', plan: 'pro' as const, status: 'active' as const },
      general: { ...generalExample, etag: '0'.repeat(64) },
      marketing: { ...marketingExample, etag: '1'.repeat(64) },
      replies: { ...replyExample, etag: '2'.repeat(64) },
    },
  },
)
export type WorkspaceSettings = Static<typeof WorkspaceSettings>

export const ChangeStatusBody = described(
  Type.Object({ status: WorkspaceStatus, slug: Type.Optional(text(24)), reason: Type.Optional(nameText(500)) }),
  {
    name: 'ChangeStatusBody',
    about: 'Whether a workspace may be used from now on.',
    fields: {
      status: 'The status; what is closed stays so.',
      slug: 'The slug of the workspace, typed by whom closes it; not needed for anything else.',
      reason: 'Why, for other operators.',
    },
    example: { status: 'suspended' },
  },
)
