import { type TSchema, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { nullableText, Timestamp } from './kinds.ts'

// What every record says that people edit, and its history.

/** They say which state of the record this is, and who made it. */
export const editedFields = { version: Type.Integer(), changedAt: Timestamp, changedBy: Type.String(), etag: Type.String() }
export const editedSentences = {
  version: 'How often it has been changed, with its creation.',
  changedAt: 'When it was changed last.',
  changedBy: 'Who changed it last: the address of a user, or how the log calls what is none.',
  etag: 'What `If-Match` of a change names.',
}

const number = Type.Integer({ minimum: 1 })

export const versionHead = {
  version: number,
  at: Timestamp,
  by: Type.String(),
  restoredFrom: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
}
export const versionHeadSentences = {
  version: 'The number of the version.',
  at: 'When it was made.',
  by: 'Who made it: the address of a user, or how the log calls what is none.',
  restoredFrom: 'The version whose content it has again; null where it is its own.',
}

/** A page of versions; named after the schema of one. */
export function versionsOf<S extends TSchema>(version: S, about: string) {
  return described(Type.Object({ items: Type.Array(version), next_cursor: nullableText() }), {
    name: `${version.title}s`,
    about,
    fields: { items: 'The changes.', next_cursor: 'What `after` of the next page is; null on the last page.' },
  })
}

export const VersionsQuery = described(Type.Object({ after: Type.Optional(number) }), {
  fields: { after: 'The `next_cursor` of the page before.' },
})

export const VersionQuery = described(Type.Object({ version: number }), { fields: { version: 'The number of the version.' } })

export const RestoreVersionBody = described(Type.Object({ version: number }), {
  name: 'RestoreVersionBody',
  about: 'The version whose content the record gets again.',
  fields: { version: 'The number of the version.' },
  example: { version: 2 },
})
