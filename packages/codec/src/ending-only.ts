import type { DetailKind, EventDeclarations } from '@tidings/domain'

/** The declarations as they are where only details of these kinds end. */
export function endingOnly(declarations: EventDeclarations, kinds: readonly DetailKind[]): EventDeclarations {
  const entries = Object.entries(declarations).map(([type, declaration]) => {
    const { personal } = declaration
    if (personal?.ending === undefined) return [type, declaration] as const
    const { ending: all, ...others } = personal
    const left = kinds.flatMap((kind) => (all[kind] ? [[kind, all[kind]] as const] : []))
    return [type, { ...declaration, personal: left.length === 0 ? others : { ...others, ending: Object.fromEntries(left) } }] as const
  })
  return Object.fromEntries(entries)
}
