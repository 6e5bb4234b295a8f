type Sql = 'uuid' | 'text' | 'text[]' | 'boolean' | 'bigint' | 'integer' | 'timestamptz' | 'jsonb'

/** A column's SQL type; a trailing `?` lets it be null. */
export type ColumnType = Sql | `${Sql}?`

/** `on` is what stands between the brackets of `create index`; the index is called `<table>_<name>`. */
export type Index = Readonly<{ name: string; on: string; unique?: boolean; using?: string; where?: string }>

/**
 * A read-model table in schema `read`. Its row images are plain objects with the column names as keys; a timestamptz is an
 * ISO 8601 text in them. The runtime adds `last_commit` and `last_prepare`, the position of the last event behind the row.
 */
export type Table<Row extends object = object> = Readonly<{
  name: string
  columns: Readonly<{ [Column in keyof Row]-?: null extends Row[Column] ? `${Sql}?` : Sql }>
  /** The primary key, workspace first; uuid and text columns only. */
  key: readonly (keyof Row & string)[]
  indices?: readonly Index[]
  /** Row images that the live owner keeps, so that the next event of the same row needs no read. Default 2 000. */
  cachedRows?: number
  /** Less than 100 leaves room on the page for updates that touch no index. */
  fillfactor?: number
}>

/** One row, named by its key's values in the order of `table.key`. */
export type RowRef = Readonly<{ table: Table; key: readonly string[] }>

/** Names one row for `reads`. */
export const row = <Row extends object>(table: Table<Row>, ...key: readonly string[]): RowRef => ({ table: anyTable(table), key })

/** The runtime handles tables of every row type alike; a row never leaves the table that it came with. */
export const anyTable = <Row extends object>(table: Table<Row>): Table => table as Table

/** NUL cannot stand in a Postgres text, so no two keys share this text. */
export const keyText = (key: readonly string[]): string => key.join('\0')

/** Every column with its type, in the order of declaration. */
export const columnsOf = (table: Table): readonly (readonly [string, ColumnType])[] =>
  Object.entries(table.columns as Readonly<Record<string, ColumnType>>)

export const columnType = (table: Table, column: string): ColumnType => {
  const type = columnsOf(table).find(([name]) => name === column)?.[1]
  if (type === undefined) throw new TypeError(`table ${table.name} has no column ${column}`)
  return type
}
