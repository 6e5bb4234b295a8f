import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { EmailAddress, ListUuid, nullableText, objectOrNull, oneOf, TemplateUuid, Timestamp, text, Uuid, verbatim } from './kinds.ts'

// Embedded forms, as the dashboard shows and makes them.

const FormId = text(120, { trim: true, notEmpty: true })

export const FormParams = described(Type.Object({ id: FormId }), { fields: { id: 'The id of the form.' } })
export const FormPreviewQuery = described(Type.Object({ lang: Type.Optional(oneOf('en', 'he')) }), {
  fields: { lang: 'The language of the page; by default `en`.' },
})

const Reference = described(Type.Object({ id: Uuid, name: nullableText() }), {
  name: 'FormReference',
  about: 'A list or template that a form names.',
  fields: { id: 'The UUID of the record.', name: 'What it is called; null where it has no name.' },
})

const Counts = objectOrNull(Type.Object({ signUps: Type.Integer({ minimum: 0 }), confirmed: Type.Integer({ minimum: 0 }) }))

const ofForm = {
  id: Type.String(),
  list: Reference,
  confirms: Type.Boolean(),
  archived: Type.Boolean(),
  counts: Counts,
}
const sentences = {
  id: 'The `formId` of a sign-up.',
  list: 'The list that those who sign up join.',
  confirms: 'Whether the owner of the address is asked to confirm first.',
  archived: 'Whether it takes no sign-up any more.',
  counts:
    'How many signed up since the form was made, and how many of them confirmed it; null where the id is no label, whose sign-ups no count can tell apart.',
} as const

const ListedForm = described(Type.Object(ofForm), { name: 'ListedForm', about: 'A form of the workspace.', fields: sentences })
export type ListedForm = Static<typeof ListedForm>

const settings = { enabled: Type.Boolean(), origins: Type.Array(Type.String()) }
const sentencesOfSettings = {
  enabled: 'Whether pages may use the forms.',
  origins: 'The sites whose pages may, each as a browser sends it.',
} as const

const FormSettings = described(Type.Object({ ...settings, etag: Type.String() }), {
  name: 'FormSettings',
  about: 'What holds for all forms of the workspace.',
  fields: { ...sentencesOfSettings, etag: 'What `If-Match` of a change must say.' },
})

export const ShownForms = described(Type.Object({ items: Type.Array(ListedForm), settings: FormSettings, script: Type.String() }), {
  name: 'ShownForms',
  about: 'The forms of the workspace.',
  fields: {
    items: 'By their ids.',
    settings: 'What holds for all of them.',
    script: 'The address of the script that shows a form in a page.',
  },
})
export type ShownForms = Static<typeof ShownForms>

export const SetFormSettingsBody = described(
  Type.Object({ enabled: Type.Boolean(), origins: Type.Array(verbatim(2048), { maxItems: 100 }) }),
  {
    name: 'SetFormSettingsBody',
    about: 'What holds for all forms from now on.',
    fields: sentencesOfSettings,
    example: { enabled: true, origins: ['https://shop.example'] },
  },
)

const Confirmation = objectOrNull(Type.Object({ template: Reference, from: Type.String() }))

export const ShownForm = described(
  Type.Object({ ...ofForm, confirmation: Confirmation, changedAt: Timestamp, changedBy: Type.String(), etag: Type.String() }),
  {
    name: 'ShownForm',
    about: 'A form of the workspace as the log has it.',
    fields: {
      ...sentences,
      confirmation: 'The template that asks to confirm, and the address that it comes from; null where a sign-up takes effect at once.',
      changedAt: 'When it was changed last.',
      changedBy: 'Who did that.',
      etag: 'What `If-Match` of a change must say.',
    },
    example: {
      ...{ id: 'footer', list: { id: exampleIds.list, name: 'Newsletter' }, confirms: false, archived: false },
      ...{ counts: { signUps: 12, confirmed: 0 }, confirmation: null },
      ...{ changedAt: exampleTime, changedBy: 'ada@acme.example', etag: '0'.repeat(64) },
    },
  },
)
export type ShownForm = Static<typeof ShownForm>

const wanted = {
  listId: ListUuid,
  confirmation: objectOrNull(Type.Object({ templateId: TemplateUuid, from: EmailAddress })),
}
const sentencesOfWanted = {
  listId: 'The static list that those who sign up join.',
  confirmation: 'The email template that asks to confirm, and the sender address that it comes from; null: a sign-up takes effect at once.',
} as const

export const NewFormBody = described(Type.Object({ id: FormId, ...wanted }), {
  name: 'NewFormBody',
  about: 'A new form.',
  fields: {
    id: 'What pages call it, for good: it begins with a letter or digit, and has letters, digits and `.` `_` `:` `-`.',
    ...sentencesOfWanted,
  },
  example: { id: 'footer', listId: exampleIds.list, confirmation: null },
})

export const EditFormBody = described(Type.Object({ ...wanted, archived: Type.Boolean() }), {
  name: 'EditFormBody',
  about: 'What a form is from now on.',
  fields: { ...sentencesOfWanted, archived: sentences.archived },
  example: { listId: exampleIds.list, confirmation: null, archived: false },
})
export type EditFormBody = Static<typeof EditFormBody>

const FormChange = described(
  Type.Object({
    at: Timestamp,
    by: Type.String(),
    what: named('FormAct', oneOf('created', 'changed', 'archived', 'restored'), 'What was done with a form.'),
    list: Type.Union([Reference, Type.Null()]),
    confirms: Type.Boolean(),
  }),
  {
    name: 'FormChange',
    about: 'A change of a form.',
    fields: {
      at: 'When it was made.',
      by: 'Who made it: the address of a user, or how the log calls what is none.',
      what: 'What was done.',
      list: 'The list that it had from then on; null where that did not change.',
      confirms: 'Whether it asked to confirm from then on; false where that did not change.',
    },
  },
)

export const FormChanges = described(Type.Object({ items: Type.Array(FormChange), hasMore: Type.Boolean() }), {
  name: 'FormChanges',
  about: 'What was done with a form, the last first.',
  fields: { items: 'At most 50.', hasMore: 'Whether there are earlier ones, which this answer has not.' },
})
export type FormChanges = Static<typeof FormChanges>
