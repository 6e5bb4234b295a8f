import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { exampleIds } from './examples.ts'
import { nullableText, oneOf, Uuid } from './kinds.ts'
import { pageOf, standardQuery, standardSentences } from './pagination.ts'

export const TemplateChannel = named('TemplateChannel', oneOf('email', 'sms', 'push'), 'What a template is for.')

const template = Type.Object({
  value: Uuid,
  label: Type.String(),
  channel: TemplateChannel,
  mergeFields: Type.Array(Type.String()),
})
export const TemplateOption = described(template, {
  name: 'TemplateOption',
  about: 'A template of the library of the workspace, as an entry of a picker.',
  fields: {
    value: 'The UUID of the template: the `templateId` of a send.',
    label: 'The name of the template.',
    channel: 'What the template is for.',
    mergeFields: 'The keys of the merge tags that the template holds, sorted, each once.',
  },
  example: { value: exampleIds.template, label: 'Receipt', channel: 'email', mergeFields: ['firstName', 'total'] },
})
export type TemplateOption = Static<typeof TemplateOption>

export const TemplatePage = pageOf(TemplateOption)
export const ListTemplatesQuery = described(Type.Object({ ...standardQuery, channel: Type.Optional(TemplateChannel) }), {
  fields: { ...standardSentences, channel: 'Only templates of this channel.' },
})
export type ListTemplatesQuery = Static<typeof ListTemplatesQuery>

export const MergeFields = described(Type.Object({ items: Type.Array(Type.String()) }), {
  name: 'MergeFields',
  about: 'The merge tags of a template.',
  fields: { items: 'The keys of the merge tags, sorted, each once.' },
  example: { items: ['firstName', 'total'] },
})

export const SenderAddressOption = described(Type.Object({ value: Type.String(), label: Type.String(), fromName: nullableText() }), {
  name: 'SenderAddressOption',
  about: 'An address that may be sent from: its domain and its inbox are verified.',
  fields: {
    value: 'The address: the `fromEmail` of a send.',
    label: '`Name <address>` where a name is set, else the address.',
    fromName: 'The name of the sender, or null.',
  },
  example: { value: 'hello@acme.example', label: 'Acme <hello@acme.example>', fromName: 'Acme' },
})
export type SenderAddressOption = Static<typeof SenderAddressOption>

export const SenderAddressPage = pageOf(SenderAddressOption)

export const FieldKind = named(
  'CustomFieldKind',
  oneOf('text', 'number', 'date', 'boolean', 'select', 'multiSelect', 'url', 'list'),
  'What a custom field holds.',
)

export const FieldChoice = described(Type.Object({ label: Type.String(), value: Type.String() }), {
  name: 'CustomFieldChoice',
  about: 'One of the values that a custom field allows.',
  fields: { label: 'What a person reads.', value: 'What is stored.' },
})

const field = Type.Object({
  value: Uuid,
  label: Type.String(),
  kind: FieldKind,
  key: Type.String(),
  allowedValues: Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string' } }),
  options: Type.Array(FieldChoice),
})

/** `key` is the name inside a profile's `customProperties` (N106). */
export const CustomFieldOption = described(field, {
  name: 'CustomFieldOption',
  about: 'A custom field of the workspace, as an entry of a picker.',
  fields: {
    value: 'The UUID of the custom field.',
    label: 'What a person reads.',
    kind: 'What the field holds.',
    key: "The name of the field inside a profile's `customProperties`.",
    allowedValues: 'The values of a `select` or `multiSelect`, else null.',
    options: 'The same values with labels; empty where there are none.',
  },
  example: { value: exampleIds.field, label: 'Shoe size', kind: 'number', key: 'shoeSize', allowedValues: null, options: [] },
})
export type CustomFieldOption = Static<typeof CustomFieldOption>

export const CustomFieldPage = pageOf(CustomFieldOption)

export const SmsSenderIdOption = described(Type.Object({ value: Type.String(), label: Type.String() }), {
  name: 'SmsSenderIdOption',
  about: 'An SMS sender ID that is approved and active.',
  fields: { value: 'The sender ID: the `senderId` of a send.', label: 'The same as `value`.' },
  example: { value: 'ACME', label: 'ACME' },
})
export type SmsSenderIdOption = Static<typeof SmsSenderIdOption>

export const SmsSenderIdPage = pageOf(SmsSenderIdOption)

const eventItem = Type.Object({
  value: Type.String(),
  label: Type.String(),
  kind: named('EventKind', oneOf('system', 'custom_event'), 'Whether an event is built in, or of this workspace.'),
  properties: Type.Optional(Type.Array(Type.String())),
})

/** `properties` is of custom events alone (N123). */
export const EventItem = described(eventItem, {
  name: 'EventItem',
  about: 'An entry of the event catalogue.',
  fields: {
    value: 'The name: of a system event for `events` of a webhook endpoint, of a custom event for event ingest.',
    label: 'The name that a person reads; of a system event the same as `value`.',
    kind: '`system` is built in, `custom_event` was seen in this workspace.',
    properties: 'Only of custom events: the names of properties that were seen or declared.',
  },
  example: { value: 'order.completed', label: 'order.completed', kind: 'system' },
})
export type EventItem = Static<typeof EventItem>

export const EventPage = pageOf(EventItem)
