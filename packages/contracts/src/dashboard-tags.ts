import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { exampleIds } from './examples.ts'
import { IdParams, Uuid } from './kinds.ts'
import { NullableTagColor } from './tag.ts'

// Tags, as the dashboard shows and colours them. `POST /tags` makes one.

export const TagParams = IdParams

export const ShownTag = described(Type.Object({ id: Uuid, name: Type.String(), color: NullableTagColor, etag: Type.String() }), {
  name: 'ShownTag',
  about: 'A tag of the workspace.',
  fields: {
    id: 'The UUID of the tag.',
    name: 'The name, which never changes.',
    color: 'The colour, or null.',
    etag: 'What `If-Match` of a change must say.',
  },
  example: { id: exampleIds.tag, name: 'Sale', color: 'accent', etag: '0'.repeat(64) },
})
export type ShownTag = Static<typeof ShownTag>

export const ShownTags = described(Type.Object({ items: Type.Array(ShownTag) }), {
  name: 'ShownTags',
  about: 'The tags of the workspace.',
  fields: { items: 'In the order in which they were made.' },
})
export type ShownTags = Static<typeof ShownTags>

export const EditTagBody = described(Type.Object({ color: NullableTagColor }), {
  name: 'EditTagBody',
  about: 'The colour that a tag has from now on.',
  fields: { color: 'The colour; null for none.' },
  example: { color: 'warn' },
})
