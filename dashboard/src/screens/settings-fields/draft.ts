import { type CustomFieldKind, takesOptions } from '@tidings/domain'
import type { ShownCustomField } from '../../api/calls.ts'

/** A field as its form has it: the values stay while another kind is chosen. */
export type Draft = Readonly<{ label: string; kind: CustomFieldKind; options: ShownCustomField['options'] }>

export const NEW_FIELD: Draft = { label: '', kind: 'text', options: [] }

export function draftOf({ label, kind, options }: ShownCustomField): Draft {
  return { label, kind, options }
}

const isBlank = (text: string): boolean => text.trim() === ''

/** A value without a label is read as it is stored; a row with neither is none. */
export function bodyOf({ label, kind, options }: Draft) {
  const given = options.filter((option) => !isBlank(option.value) || !isBlank(option.label))
  return {
    label,
    kind,
    options: takesOptions(kind) ? given.map((option) => ({ ...option, label: isBlank(option.label) ? option.value : option.label })) : [],
  }
}
