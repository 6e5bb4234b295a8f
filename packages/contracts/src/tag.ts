import { type Static, Type } from '@sinclair/typebox'
import { nullableOneOf, oneOf, Timestamp, text, Uuid } from './kinds.ts'
import { pageOf } from './pagination.ts'

const colors = ['neutral', 'primary', 'accent', 'warn', 'danger', 'info', 'violet'] as const

/** The record that creating a tag answers with. */
export const Tag = Type.Object({
  id: Uuid,
  name: Type.String(),
  color: nullableOneOf(...colors),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Tag = Static<typeof Tag>

/** The name is trimmed before it is measured (G17). */
export const CreateTagBody = Type.Object({ name: text(60, { trim: true, notEmpty: true }), color: Type.Optional(oneOf(...colors)) })
export type CreateTagBody = Static<typeof CreateTagBody>

export const TagOption = Type.Object({ value: Type.String(), label: Type.String(), id: Uuid, color: nullableOneOf(...colors) })
export type TagOption = Static<typeof TagOption>

export const TagPage = pageOf(TagOption)
