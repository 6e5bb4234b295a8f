import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { exampleIds } from './examples.ts'
import { NullableTimestamp, oneOf, Timestamp, text, Uuid } from './kinds.ts'
import { keyPageOf } from './pagination.ts'

// What the dashboard asks about the export, the proof and the erasure of a person.

export const PersonExportQuery = described(Type.Object({ format: Type.Optional(oneOf('json', 'html')) }), {
  fields: { format: 'For programs, or to read; default json.' },
})

export const ProofQuery = described(Type.Object({ at: Type.Optional(text(40)) }), {
  fields: { at: 'A moment of the past whose state the report shows as well: ISO 8601 with `Z` or an offset, or a date.' },
})

export const EraseBody = described(Type.Object({ confirm: text(320) }), {
  name: 'EraseBody',
  about: 'The erasure of a person.',
  fields: { confirm: 'The email address of the person, typed by whom erases; without one the phone number, and without both the id.' },
  example: { confirm: 'ada@example.com' },
})

export const AskedErasure = described(Type.Object({ contactId: Uuid }), {
  name: 'AskedErasure',
  about: 'An erasure that was asked for.',
  fields: { contactId: 'The UUID of the contact, which names the erasure.' },
  example: { contactId: exampleIds.contact },
})
export type AskedErasure = Static<typeof AskedErasure>

const State = oneOf('running', 'finished')

const ListedErasure = described(Type.Object({ contactId: Uuid, askedAt: Timestamp, finishedAt: NullableTimestamp, state: State }), {
  name: 'ListedErasure',
  about: 'An erasure, by the id of the contact.',
  fields: {
    contactId: 'The UUID of the contact.',
    askedAt: 'When the work for it began.',
    finishedAt: 'When all of it was done, or null.',
    state: 'Whether all of it is done.',
  },
})
export type ListedErasure = Static<typeof ListedErasure>
export const ErasurePage = keyPageOf(ListedErasure)
export type ErasurePage = Static<typeof ErasurePage>

export const ErasuresQuery = described(
  Type.Object({ after: Type.Optional(text(200)), limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })) }),
  { fields: { after: 'The `next_cursor` of the page before.', limit: 'How many records a page holds at most, 1 to 100.' } },
)

const ClearedPlace = described(Type.Object({ place: Type.String(), cleared: Type.Integer() }), {
  name: 'ClearedPlace',
  about: 'A place that had something of the person.',
  fields: { place: 'What it is.', cleared: 'How many rows went.' },
})

const WhatStays = described(Type.Object({ consents: Type.Integer(), messages: Type.Integer() }), {
  name: 'WhatStays',
  about: 'What counts on, without a name.',
  fields: { consents: 'Statements about consent: channel, change and time.', messages: 'Messages: ids, statuses and times.' },
})

export const Erasure = described(
  Type.Object({
    contactId: Uuid,
    state: State,
    askedAt: Timestamp,
    askedBy: Type.String(),
    position: Type.String(),
    erasedAt: NullableTimestamp,
    finishedAt: NullableTimestamp,
    cleared: Type.Array(ClearedPlace),
    stays: WhatStays,
    waitsFor: Type.Array(Type.String()),
  }),
  {
    name: 'Erasure',
    about: 'The erasure of a person: ids, times and counts.',
    fields: {
      contactId: 'The UUID of the contact.',
      state: 'Whether all of it is done.',
      askedAt: 'When it was asked for.',
      askedBy: 'Who asked: the address of a user, or how the log calls what is none.',
      position: 'The place of the request in the log.',
      erasedAt: 'When the key was destroyed, or null.',
      finishedAt: 'When all of it was done, or null.',
      cleared: 'What went so far, by place. A try that was killed may have left out its last place.',
      stays: 'What counts on, without a name.',
      waitsFor: 'Read models that hold it up until they are rebuilt.',
    },
  },
)
export type Erasure = Static<typeof Erasure>
