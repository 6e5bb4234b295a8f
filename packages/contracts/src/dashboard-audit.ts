import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { nullableText, oneOf, Timestamp, text, Uuid } from './kinds.ts'
import { localDate } from './overview.ts'
import { keyPageOf } from './pagination.ts'

// What somebody did in a workspace, as the dashboard shows it.

const AuditEntry = described(
  Type.Object({
    id: Type.String(),
    at: Timestamp,
    actor: Type.String(),
    by: Type.String(),
    what: Type.String(),
    thing: nullableText(),
    requestId: Type.String(),
  }),
  {
    name: 'AuditEntry',
    about: 'Something that somebody did.',
    fields: {
      id: 'No two entries of a workspace have the same; `after` of a page takes it.',
      at: 'When it was done.',
      actor: 'Who did it, as the log says it: `user:<id>`, `operator`, `key:<id>`.',
      by: 'The address of the user, where it is one of the workspace, or of the installation among what operators did; else the actor.',
      what: 'The type of the event; of what leaves none `content`, `export`, `proof`, `copy`, `link`, `delivery`, `signature`, `retry` or `discard`; of what operators did also `workspace`, `decision`, `projection`, `credits`, `plan` or `status`.',
      thing:
        'The id of what it is about, a domain or a sender ID; null where that is the workspace. Of what operators did the slug of the workspace, a dead letter, or a projection and what is done with it.',
      requestId: 'The id of the request.',
    },
    example: {
      ...{ id: '0', at: exampleTime, actor: `user:${exampleIds.contact}`, by: 'ada@acme.example' },
      ...{ what: 'TemplateContentChanged', thing: exampleIds.template, requestId: 'req-1' },
    },
  },
)
export type AuditEntry = Static<typeof AuditEntry>
export const AuditEntryPage = keyPageOf(AuditEntry)
export type AuditEntryPage = Static<typeof AuditEntryPage>

const period = {
  userId: Type.Optional(Uuid),
  from: Type.Optional(localDate),
  to: Type.Optional(localDate),
  zone: Type.Optional(text(64)),
  after: Type.Optional(Type.String({ pattern: '^[0-9a-f]{52}$' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
}
const periodFields = {
  userId: 'Only what this user did.',
  from: 'The first day, as `YYYY-MM-DD` in the time zone; together with `to`. By default all days.',
  to: 'The last day, inclusive. Days are at most 400.',
  zone: 'The time zone in which days begin: a name of IANA or an offset; by default `UTC`.',
  after: 'The `next_cursor` of the page before.',
  limit: 'How many records a page holds at most, 1 to 100.',
}

export const AuditQuery = described(Type.Object({ ...period, only: Type.Optional(oneOf('exports')) }), {
  fields: { ...periodFields, only: '`exports`: only exports and proofs that were asked for.' },
})
export const SystemAuditQuery = described(Type.Object(period), { fields: periodFields })
