import type { Event, EventDeclarations } from '../kernel.ts'

export const CUSTOM_FIELD_KINDS = ['text', 'number', 'date', 'boolean', 'select', 'multiSelect', 'url', 'list'] as const
export type CustomFieldKind = (typeof CUSTOM_FIELD_KINDS)[number]
export type CustomFieldOption = Readonly<{ label: string; value: string }>

// Stored for ever: change only together with an upcast.
/** What holds for the field now, as a whole. Only a `select` and a `multiSelect` have options. */
export type CustomFieldConfigured = Event<
  'CustomFieldConfigured',
  { fieldId: string; key: string; label: string; kind: CustomFieldKind; options: readonly CustomFieldOption[] }
>
export type CustomFieldEvent = CustomFieldConfigured

export const customFieldDeclarations = {
  CustomFieldConfigured: { version: 1 },
} satisfies EventDeclarations & Record<CustomFieldEvent['type'], unknown>
