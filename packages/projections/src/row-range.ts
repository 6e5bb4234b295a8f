import { keyText, type RowRef, type Table } from './table.ts'

/** Every row with these values: the primary key or an index of the table begins with their columns. */
export type RowRange<Row extends object = object> = Readonly<{ table: Table<Row>; where: Readonly<Record<string, string>> }>

/** Names all rows with these values for `reads`. The columns are uuid or text, and no event changes them in a row. */
export function rowsWhere<Row extends object>(table: Table<Row>, where: Readonly<Record<string, string>>): RowRange<Row> {
  return { table, where }
}

/** Whether `reads` named a range, or one row. */
export function isRange(named: RowRef | RowRange): named is RowRange {
  return 'where' in named
}

/** The same text for the same range. */
export function rangeText({ where }: RowRange): string {
  return keyText(Object.entries(where).flat())
}

/** Whether the row is one of the range. */
export function isInRange<Row extends object>({ where }: RowRange<Row>, row: object | null): row is Row {
  if (row === null) return false
  const columns = new Map<string, unknown>(Object.entries(row))
  return Object.entries(where).every(([column, value]) => columns.get(column) === value)
}
