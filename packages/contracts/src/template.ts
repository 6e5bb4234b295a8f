import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { nullableText, Timestamp, Uuid, verbatim } from './kinds.ts'
import { TemplateChannel } from './lookups.ts'

// Templates as people edit them. The lengths are those of a workspace file.

const { Optional } = Type

const pushSentences = {
  title: 'The title.',
  body: 'The text below the title.',
  url: 'What a press on it opens.',
  icon: 'The address of a picture.',
}

const PushTextsBody = described(
  Type.Object({
    title: verbatim(255, { notEmpty: true }),
    body: verbatim(1_000),
    url: Optional(verbatim(2_048)),
    icon: Optional(verbatim(2_048)),
  }),
  { name: 'PushTextsBody', about: 'The texts of a template for pushes.', fields: pushSentences },
)

const PushTexts = described(Type.Object({ title: Type.String(), body: Type.String(), url: nullableText(), icon: nullableText() }), {
  name: 'PushTexts',
  about: 'The texts of a template for pushes.',
  fields: pushSentences,
})

const textSentences = {
  subject: 'Of an email: its subject.',
  html: 'Of an email: its content as HTML.',
  text: 'Of an email: its content as plain text.',
  body: 'Of a text message: its text.',
  push: 'Of a push: its texts.',
  fromName: 'The name of the sender, where a send says none.',
}

const texts = Type.Object({
  subject: Optional(verbatim(500)),
  html: Optional(verbatim(500_000)),
  text: Optional(verbatim(500_000)),
  body: Optional(verbatim(1_600)),
  push: Optional(PushTextsBody),
  fromName: Optional(verbatim(255)),
})
export type TemplateTextsBody = Static<typeof texts>

export const EditTemplateBody = described(texts, {
  name: 'EditTemplateBody',
  about: 'All texts of a template, of those that its channel has. What is left out, it has none of.',
  fields: textSentences,
  example: { subject: 'Your receipt', html: '<p>Thank you, {{firstName|friend}}.</p>' },
})

const TemplateTexts = described(
  Type.Object({
    subject: nullableText(),
    html: nullableText(),
    text: nullableText(),
    body: nullableText(),
    push: Type.Union([PushTexts, Type.Null()]),
    fromName: nullableText(),
  }),
  { name: 'TemplateTexts', about: 'The texts of a template; what its channel does not have is null.', fields: textSentences },
)

/** They say which state of the record this is, and who made it. */
const editedFields = { version: Type.Integer(), changedAt: Timestamp, changedBy: Type.String(), etag: Type.String() }
const editedSentences = {
  version: 'How often it has been changed, with its creation.',
  changedAt: 'When it was changed last.',
  changedBy: 'Who changed it last: the address of a user, or how the log calls what is none.',
  etag: 'What `If-Match` of a change names.',
}

export const EditedTemplate = described(
  Type.Object({
    id: Uuid,
    name: Type.String(),
    channel: TemplateChannel,
    archived: Type.Boolean(),
    content: TemplateTexts,
    ...editedFields,
  }),
  {
    name: 'EditedTemplate',
    about: 'A template as it is stored.',
    fields: {
      id: 'The UUID of the template.',
      name: 'Its name, which never changes.',
      channel: 'What it is for, which never changes.',
      archived: 'Whether no send may use it.',
      content: 'Its texts.',
      ...editedSentences,
    },
    example: {
      id: exampleIds.template,
      name: 'Receipt',
      channel: 'email',
      archived: false,
      content: {
        subject: 'Your receipt',
        html: '<p>Thank you, {{firstName|friend}}.</p>',
        text: null,
        body: null,
        push: null,
        fromName: null,
      },
      version: 3,
      changedAt: exampleTime,
      changedBy: 'ada@acme.example',
      etag: '5f0c3c2f6fd2d9c4b2b6b2f0f1f7c3fb9a8a5a56f2d7b9d9f0b6f4c1d2e3a4b5',
    },
  },
)
export type EditedTemplate = Static<typeof EditedTemplate>
