type Sql = 'uuid' | 'text' | 'text[]' | 'boolean' | 'bigint' | 'integer' | 'timestamptz' | 'jsonb'

/** A column's SQL type; a trailing `?` lets it be null. */
export type ColumnType = Sql | `${Sql}?`

/**
 * `on` is what stands between the brackets of `create index`; the index is called `<table>_<name>`. `settings` are its storage parameters.
 * `needs`: extensions; in a database that lacks one of them there is no such index, and the table works without it.
 */
export type Index = Readonly<{
  name: string
  on: string
  unique?: boolean
  using?: string
  where?: string
  settings?: string
  needs?: readonly string[]
}>

/** A table in schema `read`, whatever its rows. */
export type AnyTable = Readonly<{
  name: string
  columns: Readonly<Record<string, ColumnType>>
  /** The primary key, workspace first; uuid, text and integer columns only. */
  key: readonly string[]
  indices?: readonly Index[]
  /** Row images that the live owner keeps, so that the next event of the same row needs no read. Default 2 000. */
  cachedRows?: number
  /**
   * Names every column beside the key, if folds only add to them. Each part of a rebuild may then count from nothing, and the database adds
   * the parts up. No row of such a table is deleted.
   */
  adds?: readonly string[]
  /** A value below 100 leaves room on the page for updates that touch no index. */
  fillfactor?: number
}>

/** `row` exists for the compiler only: it says what an image of the table looks like. */
export type Table<Row extends object> = AnyTable & Readonly<{ row?: Row }>

type Checked<Row extends object> = AnyTable &
  Readonly<{
    columns: { readonly [Column in keyof Row]-?: null extends Row[Column] ? `${Sql}?` : Sql }
    key: readonly (keyof Row & string)[]
  }>

/**
 * A read-model table. Its row images are plain objects with the column names as keys; a timestamptz is an ISO 8601 text in them, a
 * bigint a bigint. The runtime adds `last_commit` and `last_prepare`, the position of the last event behind the row.
 */
export function defineTable<Row extends object>(table: Checked<Row>): Table<Row> {
  const { name, columns, key, adds } = table
  const other = adds === undefined ? undefined : Object.keys(columns).find((column) => ![...key, ...adds].some((one) => one === column))
  if (other !== undefined) throw new TypeError(`table ${name} adds, and its column ${other} is neither of the key nor added to`)
  return table
}

/** One row, named by its key's values in the order of `table.key`. */
export type RowRef = Readonly<{ table: AnyTable; key: readonly string[] }>

/** Names one row for `reads`. */
export function row(table: AnyTable, ...key: readonly string[]): RowRef {
  return { table, key }
}

/** NUL cannot stand in a Postgres text, so no two keys share this text. */
export function keyText(key: readonly string[]): string {
  return key.join('\0')
}

/** Every column with its type, in the order of declaration. */
export function columnsOf(table: AnyTable): readonly (readonly [string, ColumnType])[] {
  return Object.entries(table.columns)
}

export function columnType(table: AnyTable, column: string): ColumnType {
  const type = table.columns[column]
  if (type === undefined) throw new TypeError(`table ${table.name} has no column ${column}`)
  return type
}
