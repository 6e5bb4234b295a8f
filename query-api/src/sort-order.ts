type Direction = 'asc' | 'desc'
export type SortOrder<Column> = Readonly<{ column: Column; direction: Direction }>

/** Sortable columns by the contract's names, and the way each sorts when it is named bare. */
export type SortColumns<Column> = Readonly<Record<string, Readonly<{ column: Column; bare: Direction }>>>

/**
 * Reads a `sort` of the rich family: `-col`, `col:asc`, `col:desc` or `col`; what is not recognised sorts as nothing was said
 * (contract: Pagination). The id breaks ties (G9).
 */
export function sortOrder<Column>(columns: SortColumns<Column>, byDefault: SortOrder<Column>) {
  return (sort: string | undefined): SortOrder<Column> => {
    const [, minus, name = '', direction] = /^(-?)([A-Za-z]+)(?::(asc|desc))?$/.exec(sort ?? '') ?? []
    const known = Object.hasOwn(columns, name) ? columns[name] : undefined
    if (known === undefined || (minus === '-' && direction !== undefined)) return byDefault
    if (minus === '-') return { column: known.column, direction: 'desc' }
    return { column: known.column, direction: direction === 'asc' || direction === 'desc' ? direction : known.bare }
  }
}
