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
