import { RESERVED_MERGE_KEYS } from '@tidings/domain'
import type { CustomFieldOption } from '../../api/calls.ts'
import type { MergeWord } from '../../ui/code-mirror.ts'

type Sources = Readonly<{ person: string; service: string; custom: string; send: string }>

/** The merge tags that a template may use and where each has its value from; what it uses beside them comes with the send. */
export function mergeWords(fields: readonly CustomFieldOption[], used: readonly string[], from: Sources): readonly MergeWord[] {
  const known = [
    ...RESERVED_MERGE_KEYS.map((key) => ({ key, from: key === 'unsubscribeUrl' ? from.service : from.person })),
    ...fields.map(({ key, label }) => ({ key: `custom.${key}`, from: `${from.custom}: ${label}` })),
  ]
  const names = new Set(known.map(({ key }) => key))
  const others = used.filter((key) => !names.has(key))
  return [...known, ...others.map((key) => ({ key, from: key.startsWith('custom.') ? from.custom : from.send }))]
}
