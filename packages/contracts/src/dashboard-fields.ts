import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { IdParams, nameText, Timestamp, Uuid } from './kinds.ts'
import { FieldChoice, FieldKind } from './lookups.ts'

// Custom fields, as the dashboard makes and changes them.

export const CustomFieldParams = IdParams

export const ShownCustomField = described(
  Type.Object({
    ...{ id: Uuid, key: Type.String(), label: Type.String(), kind: FieldKind, options: Type.Array(FieldChoice) },
    ...{ updatedAt: Timestamp, etag: Type.String() },
  }),
  {
    name: 'ShownCustomField',
    about: 'A custom field of profiles.',
    fields: {
      id: 'The UUID of the custom field.',
      key: "The name of the field inside a profile's `customProperties`, which never changes.",
      label: 'What a person reads.',
      kind: 'What the field holds.',
      options: 'The values that a `select` or `multiSelect` offers, else none.',
      updatedAt: 'When it was changed last.',
      etag: 'What `If-Match` of a change must say.',
    },
    example: {
      ...{ id: exampleIds.field, key: 'shoeSize', label: 'Shoe size', kind: 'number', options: [] },
      ...{ updatedAt: exampleTime, etag: '0'.repeat(64) },
    },
  },
)
export type ShownCustomField = Static<typeof ShownCustomField>

export const ListedCustomField = described(
  Type.Object({ id: Uuid, key: Type.String(), label: Type.String(), kind: FieldKind, options: Type.Integer(), updatedAt: Timestamp }),
  {
    name: 'ListedCustomField',
    about: 'A custom field of profiles, in the list.',
    fields: {
      id: 'The UUID of the custom field.',
      key: "The name of the field inside a profile's `customProperties`.",
      label: 'What a person reads.',
      kind: 'What the field holds.',
      options: 'How many values it offers.',
      updatedAt: 'When it was changed last.',
    },
  },
)
export type ListedCustomField = Static<typeof ListedCustomField>

export const ListedCustomFields = described(Type.Object({ items: Type.Array(ListedCustomField) }), {
  name: 'ListedCustomFields',
  about: 'The custom fields of the workspace.',
  fields: { items: 'By label, at most 500.' },
})
export type ListedCustomFields = Static<typeof ListedCustomFields>

const NewChoice = described(Type.Object({ label: nameText(255), value: nameText(255) }), {
  name: 'NewChoice',
  about: 'One of the values that a custom field is to offer.',
  fields: { label: 'What a person reads.', value: 'What is stored.' },
})

const settings = { label: nameText(255), kind: FieldKind, options: Type.Array(NewChoice, { maxItems: 1_000 }) }
const sentences = {
  label: 'What a person reads.',
  kind: 'What the field holds. Values that are there stay as they are.',
  options: 'The values that a `select` or `multiSelect` offers, each once; none for the other kinds.',
} as const

export const NewCustomFieldBody = described(Type.Object({ key: nameText(128), ...settings }), {
  name: 'NewCustomFieldBody',
  about: 'A new custom field.',
  fields: { key: "The name of the field inside a profile's `customProperties`, for good.", ...sentences },
  example: { key: 'plan', label: 'Plan', kind: 'select', options: [{ label: 'Free', value: 'free' }] },
})

export const EditCustomFieldBody = described(Type.Object(settings), {
  name: 'EditCustomFieldBody',
  about: 'What a custom field is from now on.',
  fields: sentences,
  example: { label: 'Shoe size', kind: 'number', options: [] },
})
