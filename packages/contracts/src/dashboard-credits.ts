import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { NullableTimestamp, nullableText, oneOf, Timestamp, text } from './kinds.ts'
import { localDate } from './overview.ts'
import { keyPageOf } from './pagination.ts'

// The SMS credits of a workspace, as the dashboard shows them.

const integer = Type.Integer()
const count = Type.Integer({ minimum: 0 })

export const Credits = described(Type.Object({ balance: count, held: count, available: count }), {
  name: 'Credits',
  about: 'The SMS credits of a workspace now, by the log.',
  fields: {
    balance: 'Credits that are not spent, the held ones included.',
    held: 'Credits that are held for messages under way.',
    available: 'Credits that can be spent: the balance less what is held.',
  },
})
export type Credits = Static<typeof Credits>

const CreditEntry = described(
  Type.Object({
    id: Type.String(),
    at: Timestamp,
    entry: oneOf('topup', 'hold', 'settle', 'release'),
    amount: integer,
    balance: integer,
    held: integer,
    messageId: nullableText(),
    note: nullableText(),
  }),
  {
    name: 'CreditEntry',
    about: 'One line of the statement.',
    fields: {
      id: 'No two lines of a workspace have the same; `after` of a page takes it.',
      at: 'When it was entered.',
      entry: 'What was done: credits were added, held for a message, spent for it, or given back.',
      amount: 'How many credits; always positive.',
      balance: 'The balance after it, held credits included.',
      held: 'What was held after it.',
      messageId: 'The UUID of the message; null where credits were added.',
      note: 'The note of the operator who added them; null where there is none.',
    },
    example: {
      ...{ id: '0-0', at: '2026-11-20T09:00:00.000Z', entry: 'topup', amount: 1000, balance: 1000, held: 0 },
      ...{ messageId: null, note: 'invoice 7' },
    },
  },
)
export type CreditEntry = Static<typeof CreditEntry>
export const CreditEntryPage = keyPageOf(CreditEntry)
export type CreditEntryPage = Static<typeof CreditEntryPage>

export const StatementQuery = described(
  Type.Object({
    after: Type.Optional(Type.String({ pattern: '^\\d{1,12}-\\d{1,4}$' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  }),
  { fields: { after: 'The `next_cursor` of the page before.', limit: 'How many records a page holds at most, 1 to 100.' } },
)

export const CreditPeriodQuery = described(Type.Object({ from: localDate, to: localDate, zone: Type.Optional(text(64)) }), {
  fields: {
    from: 'The first day, as `YYYY-MM-DD` in the time zone.',
    to: 'The last day, inclusive. Days are at most 400.',
    zone: 'The time zone in which days begin: a name of IANA or an offset; by default `UTC`.',
  },
})

const CreditDay = described(Type.Object({ at: Timestamp, used: integer }), {
  name: 'CreditDay',
  about: 'The credits that were spent in a day.',
  fields: { at: 'When the day begins.', used: 'How many credits were spent.' },
})

export const CreditUse = described(
  Type.Object({
    steps: Type.Array(CreditDay),
    used: integer,
    since: NullableTimestamp,
    daysLeft: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  }),
  {
    name: 'CreditUse',
    about: 'The credits that were spent in a period.',
    fields: {
      steps: 'The days of the period, oldest first.',
      used: 'How many credits were spent in all of it.',
      since: 'What was spent before is not counted, because there are too many entries; null where all is.',
      daysLeft: 'For how many days what is available lasts at the same rate; null where nothing was spent, or not all is counted.',
    },
  },
)
export type CreditUse = Static<typeof CreditUse>

export const AddCreditsBody = described(
  Type.Object({
    amount: Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 }),
    note: Type.Optional(text(255, { trim: true, notEmpty: true })),
  }),
  {
    name: 'AddCreditsBody',
    about: 'Credits that are added. Each request adds.',
    fields: { amount: 'How many credits.', note: 'For the statement.' },
    example: { amount: 1000, note: 'invoice 7' },
  },
)

export const CheckedCredits = described(
  Type.Object({ ok: Type.Boolean(), events: integer, balance: integer, held: integer, problems: Type.Array(Type.String()) }),
  {
    name: 'CheckedCredits',
    about: 'The wallet, computed from its first event and apart from the rules that wrote it.',
    fields: {
      ok: 'Whether nothing is wrong.',
      events: 'How many events were looked at.',
      balance: 'The balance that they give.',
      held: 'What they hold.',
      problems: 'What is wrong, one sentence each; at most 100.',
    },
  },
)
export type CheckedCredits = Static<typeof CheckedCredits>
