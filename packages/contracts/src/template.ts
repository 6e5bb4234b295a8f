import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { ContactUuid, nameText, nullableText, oneOf, Timestamp, Uuid, verbatim } from './kinds.ts'
import { TemplateChannel } from './lookups.ts'
import { pageOf, standardQuery, standardSentences } from './pagination.ts'
import { editedFields, editedSentences, versionHead, versionHeadSentences, versionsOf } from './versions.ts'

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

export const NewTemplateBody = described(Type.Object({ name: nameText(255), channel: TemplateChannel, ...texts.properties }), {
  name: 'NewTemplateBody',
  about: 'A new template, with the texts that its channel has.',
  fields: {
    name: 'Its name, which never changes.',
    channel: 'What it is for, which never changes.',
    ...textSentences,
  },
  example: { name: 'Receipt', channel: 'email', subject: 'Your receipt', html: '<p>Thank you, {{firstName|friend}}.</p>' },
})

const what = oneOf('created', 'changed', 'archived', 'restored')
const versionFields = { ...versionHead, what }
const versionSentences = { ...versionHeadSentences, what: 'What was done to the template.' }

const TemplateVersion = described(Type.Object(versionFields), {
  name: 'TemplateVersion',
  about: 'One change of a template.',
  fields: versionSentences,
})

export const TemplateVersions = versionsOf(TemplateVersion, 'Changes of a template, the last first.')
export type TemplateVersions = Static<typeof TemplateVersions>

export const TemplateVersionContent = described(Type.Object({ ...versionFields, content: TemplateTexts }), {
  name: 'TemplateVersionContent',
  about: 'A version of a template, with its texts.',
  fields: { ...versionSentences, content: 'The texts that the template had since.' },
})
export type TemplateVersionContent = Static<typeof TemplateVersionContent>

export const TemplatePreviewBody = described(
  Type.Object({ html: verbatim(500_000), contactId: Optional(ContactUuid), images: Optional(oneOf('none', 'https')) }),
  {
    name: 'TemplatePreviewBody',
    about: 'What a frame is to show of a template that is being written.',
    fields: {
      html: 'The HTML of the template.',
      contactId: 'The UUID of the person as whom it is shown; without one the fallbacks are.',
      images: 'Whether the frame may load images of the web; by default `none`.',
    },
  },
)

export const CheckTemplateBody = described(
  Type.Object({ channel: TemplateChannel, ...texts.properties, contactId: Optional(ContactUuid) }),
  {
    name: 'CheckTemplateBody',
    about: 'Texts of a template that is being written.',
    fields: {
      channel: 'What it is for.',
      ...textSentences,
      contactId: 'The UUID of the person whom they are made for; without one the fallbacks are.',
    },
    example: { channel: 'sms', body: 'Hello {{firstName|you}}' },
  },
)

const RenderedTemplate = described(
  Type.Object({
    subject: nullableText(),
    text: nullableText(),
    body: nullableText(),
    push: Type.Union([PushTexts, Type.Null()]),
    fromName: nullableText(),
    segments: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
    credits: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  }),
  {
    name: 'RenderedTemplate',
    about: 'The texts with the values of a person, but for the HTML.',
    fields: {
      ...textSentences,
      segments: 'Of a text message: how many parts it is sent as.',
      credits: 'Of a text message: what it costs.',
    },
  },
)

export const CheckedTemplate = described(
  Type.Object({ mistake: nullableText(), mergeFields: Type.Array(Type.String()), rendered: Type.Union([RenderedTemplate, Type.Null()]) }),
  {
    name: 'CheckedTemplate',
    about: 'What is wrong with texts of a template, and what they become.',
    fields: {
      mistake: 'The sentence that saving or sending them would be refused with; null where there is none.',
      mergeFields: 'The keys of the merge tags in them, sorted, each once.',
      rendered: 'What the person would get; null where there is a mistake.',
    },
  },
)
export type CheckedTemplate = Static<typeof CheckedTemplate>

const LibraryTemplate = described(
  Type.Object({ id: Uuid, name: Type.String(), channel: TemplateChannel, archived: Type.Boolean(), changedAt: Timestamp }),
  {
    name: 'LibraryTemplate',
    about: 'A template in the list of all.',
    fields: {
      id: 'The UUID of the template.',
      name: 'Its name.',
      channel: 'What it is for.',
      archived: 'Whether no send may use it.',
      changedAt: 'When it was changed last.',
    },
  },
)
export type LibraryTemplate = Static<typeof LibraryTemplate>

export const TemplateLibrary = pageOf(LibraryTemplate)
export type TemplateLibrary = Static<typeof TemplateLibrary>
export const TemplateLibraryQuery = described(
  Type.Object({ ...standardQuery, channel: Optional(TemplateChannel), archived: Optional(Type.Boolean()) }),
  {
    fields: {
      ...standardSentences,
      channel: 'Only templates of this channel.',
      archived: 'Only archived ones, or only others; without it both.',
    },
  },
)
