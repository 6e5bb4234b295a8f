import { type Static, Type } from '@sinclair/typebox'
import { nullableText, oneOf, Uuid } from './kinds.ts'
import { pageOf, standardQuery } from './pagination.ts'

const TemplateChannel = oneOf('email', 'sms', 'push')

export const TemplateOption = Type.Object({
  value: Uuid,
  label: Type.String(),
  channel: TemplateChannel,
  mergeFields: Type.Array(Type.String()),
})
export type TemplateOption = Static<typeof TemplateOption>

export const TemplatePage = pageOf(TemplateOption)
export const ListTemplatesQuery = Type.Object({ ...standardQuery, channel: Type.Optional(TemplateChannel) })
export type ListTemplatesQuery = Static<typeof ListTemplatesQuery>

export const MergeFields = Type.Object({ items: Type.Array(Type.String()) })

export const SenderAddressOption = Type.Object({ value: Type.String(), label: Type.String(), fromName: nullableText() })
export type SenderAddressOption = Static<typeof SenderAddressOption>

export const SenderAddressPage = pageOf(SenderAddressOption)

const FieldKind = oneOf('text', 'number', 'date', 'boolean', 'select', 'multiSelect', 'url', 'list')

/** `key` is the name inside a profile's `customProperties` (N106). */
export const CustomFieldOption = Type.Object({
  value: Uuid,
  label: Type.String(),
  kind: FieldKind,
  key: Type.String(),
  allowedValues: Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string' } }),
  options: Type.Array(Type.Object({ label: Type.String(), value: Type.String() })),
})
export type CustomFieldOption = Static<typeof CustomFieldOption>

export const CustomFieldPage = pageOf(CustomFieldOption)

export const SmsSenderIdOption = Type.Object({ value: Type.String(), label: Type.String() })
export type SmsSenderIdOption = Static<typeof SmsSenderIdOption>

export const SmsSenderIdPage = pageOf(SmsSenderIdOption)

/** `properties` is of custom events alone (N123). */
export const EventItem = Type.Object({
  value: Type.String(),
  label: Type.String(),
  kind: oneOf('system', 'custom_event'),
  properties: Type.Optional(Type.Array(Type.String())),
})
export type EventItem = Static<typeof EventItem>

export const EventPage = pageOf(EventItem)
