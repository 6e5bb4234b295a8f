import type { DetailKind, EventDeclarations } from '@tidings/domain'

/** The declarations as they are where only details of these kinds end. */
export function endingOnly(declarations: EventDeclarations, kinds: readonly DetailKind[]): EventDeclarations {
  const entries = Object.entries(declarations).map(([type, declaration]) => {
    const { personal } = declaration
    if (personal?.ending === undefined) return [type, declaration] as const
    const ending = Object.fromEntries(kinds.flatMap((kind) => (personal.ending?.[kind] ? [[kind, personal.ending[kind]]] : [])))
    return [type, { ...declaration, personal: { ...personal, ending } }] as const
  })
  return Object.fromEntries(entries)
}
