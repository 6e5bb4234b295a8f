/** The type of a column's value in a row. A `date` is `2026-11-23`, a `timestamptz` an ISO 8601 text. */
type Values = Readonly<{
  uuid: string
  text: string
  'text[]': readonly string[]
  boolean: boolean
  integer: number
  bigint: bigint
  'double precision': number
  date: string
  timestamptz: string
  jsonb: unknown
}>

type Sql = keyof Values

/** A column's SQL type; a trailing `?` lets it be null. */
type ColumnType = Sql | `${Sql}?`

type ValueOf<Column> = Column extends Sql ? Values[Column] : Column extends `${infer Base extends Sql}?` ? Values[Base] | null : never

type Columns = Readonly<Record<string, ColumnType>>

type KeyColumns<C extends Columns> = readonly (keyof C & string)[]

/** A row as a plain object with the columns as its keys. */
type RowOf<C extends Columns> = { readonly [Column in keyof C]: ValueOf<C[Column]> }

type KeyOf<C extends Columns, K extends KeyColumns<C>> = { readonly [N in keyof K]: ValueOf<C[K[N]]> }

/** A table as the run sees it, whatever its rows. */
export type AnyTable = Readonly<{
  name: string
  columns: Columns
  key: readonly string[]
  /** Rows that stay in memory, so that the next event of the same row needs no read. Default 50 000. */
  cachedRows?: number
}>

export type Table<C extends Columns = Columns, K extends KeyColumns<C> = KeyColumns<C>> = AnyTable & Readonly<{ columns: C; key: K }>

/**
 * The rows of one table while `apply` runs. `get` gives the row as every earlier event left it; `put` inserts it or replaces it as a whole.
 * A row and what is in it cannot be changed in place: put a new one. They reach the database with the batch, all of them or none.
 */
export type Rows<C extends Columns = Columns, K extends KeyColumns<C> = KeyColumns<C>> = Readonly<{
  get: (...key: KeyOf<C, K>) => RowOf<C> | undefined
  put: (row: RowOf<C>) => void
  delete: (...key: KeyOf<C, K>) => void
}>

const TYPES: ReadonlySet<string> = new Set<Sql>([
  ...(['uuid', 'text', 'text[]', 'boolean', 'integer', 'bigint', 'double precision', 'date', 'timestamptz', 'jsonb'] as const),
])
const IN_KEYS: ReadonlySet<string> = new Set<Sql>(['uuid', 'text', 'boolean', 'integer', 'bigint', 'date', 'timestamptz'])

/** Names go into SQL in quotes; these need none where an analyst writes SQL of his own. */
export const NAME = /^[a-z][a-z0-9_]{0,47}$/

/** The table that holds where a projection is; no other may have its name. */
export const CHECKPOINT = 'tidings_checkpoint'

const MOST_CACHED = 10_000_000

export function baseType(type: string): string {
  return type.endsWith('?') ? type.slice(0, -1) : type
}

const assertName = (name: string, what: string): void => {
  if (!NAME.test(name)) throw new TypeError(`${what} ${JSON.stringify(name)} must be lower-case letters, digits and _, at most 48`)
}

const assertKey = ({ name, columns, key }: AnyTable): void => {
  if (key.length === 0 || new Set(key).size !== key.length) throw new TypeError(`table ${name} needs a key of different columns`)
  for (const column of key)
    if (!IN_KEYS.has(columns[column] ?? '')) throw new TypeError(`table ${name}: ${column} (${columns[column]}) cannot be part of the key`)
}

/** A table of the projection's schema, made by its first run. Throws where it could not be made. */
export function table<const C extends Columns, const K extends KeyColumns<C>>(
  definition: Readonly<{ name: string; columns: C; key: K; cachedRows?: number }>,
): Table<C, K> {
  assertName(definition.name, 'table name')
  if (definition.name === CHECKPOINT) throw new TypeError(`the run keeps its own place in ${CHECKPOINT}: call the table something else`)
  for (const [column, type] of Object.entries(definition.columns)) {
    assertName(column, `table ${definition.name}: column`)
    if (!TYPES.has(baseType(type))) throw new TypeError(`table ${definition.name}: ${column} cannot be ${type}`)
  }
  const { cachedRows = 1 } = definition
  if (!Number.isInteger(cachedRows) || cachedRows < 1 || cachedRows > MOST_CACHED) {
    throw new TypeError(`table ${definition.name}: cachedRows must be a whole number from 1 to ${MOST_CACHED}`)
  }
  assertKey(definition)
  return definition
}
