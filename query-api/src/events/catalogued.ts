import type { CustomEventRow } from '@tidings/read-models'

type Declared = Pick<CustomEventRow, 'name' | 'label' | 'properties' | 'retired'>
type Catalogued = Omit<Declared, 'retired'>

/** Custom events of the catalogue, each name once: a declaration gives the label, and one that is retired hides what is observed (N123). */
export function catalogued(declared: readonly Declared[], observed: readonly Readonly<{ name: string }>[]): Catalogued[] {
  const names = new Set(declared.map(({ name }) => name))
  const onlyObserved = observed.filter(({ name }) => !names.has(name)).map(({ name }) => ({ name, label: name, properties: [] }))
  return [...declared.filter(({ retired }) => !retired), ...onlyObserved]
}
