import { type Static, Type } from '@sinclair/typebox'
import { TAG_COLORS } from '@tidings/domain'
import { described, named } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { nameText, nullableOneOf, oneOf, Timestamp, Uuid } from './kinds.ts'
import { pageOf } from './pagination.ts'

const TagColor = named('TagColor', oneOf(...TAG_COLORS), 'The colour of a tag.')
export const NullableTagColor = named('TagColor', nullableOneOf(...TAG_COLORS), 'The colour of a tag.')

const tag = Type.Object({
  id: Uuid,
  name: Type.String(),
  color: NullableTagColor,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})

/** The record that creating a tag answers with. */
export const Tag = described(tag, {
  name: 'Tag',
  about: 'A label for campaigns, flows, templates and lists.',
  fields: {
    id: 'The UUID of the tag.',
    name: 'The name, unique in the workspace.',
    color: 'The colour, or null.',
    createdAt: 'When the tag was created.',
    updatedAt: 'When the tag changed last.',
  },
  example: { id: exampleIds.tag, name: 'Sale', color: 'accent', createdAt: exampleTime, updatedAt: exampleTime },
})
export type Tag = Static<typeof Tag>

const creation = Type.Object({ name: nameText(60), color: Type.Optional(TagColor) })

/** The name is trimmed before it is measured (G17). */
export const CreateTagBody = described(creation, {
  name: 'CreateTagBody',
  about: 'A new tag.',
  fields: {
    name: 'The name, 1 to 60 characters after trimming, unique in the workspace.',
    color: 'The colour; none where it is left out.',
  },
  example: { name: 'Sale', color: 'accent' },
})
export type CreateTagBody = Static<typeof CreateTagBody>

const option = Type.Object({ value: Type.String(), label: Type.String(), id: Uuid, color: NullableTagColor })

export const TagOption = described(option, {
  name: 'TagOption',
  about: 'A tag, as an entry of a picker.',
  fields: { value: 'The name of the tag.', label: 'The same as `value`.', id: 'The UUID of the tag.', color: 'The colour, or null.' },
  example: { value: 'Sale', label: 'Sale', id: exampleIds.tag, color: 'accent' },
})
export type TagOption = Static<typeof TagOption>

export const TagPage = pageOf(TagOption)
