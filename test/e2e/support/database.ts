import type { Pool } from 'pg'

type Column = Readonly<{ table: string; column: string; type: string }>

/** The columns of the schemas, by table. Names come from the catalog, so that a new table is looked at without being named here. */
const columnsOf = async (pool: Pool, schemas: readonly string[]): Promise<readonly Column[]> => {
  const { rows } = await pool.query<Column>(
    `select format('%I.%I', n.nspname, c.relname) as table, a.attname as column, format_type(a.atttypid, null) as type
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
     where n.nspname = any ($1) and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
     order by 1, a.attnum`,
    [schemas],
  )
  return rows
}

/** Every row of every table of a schema as Postgres writes it, in an order that does not depend on where it lies. */
export async function dump(pool: Pool, schema: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const tables = new Set((await columnsOf(pool, [schema])).map(({ table }) => table))
  const dumped: Record<string, readonly string[]> = {}
  for (const table of tables) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${table} t order by 1`)
    dumped[table] = rows.map(({ row }) => row)
  }
  return dumped
}

/** The columns of the schemas that hold one of the words in any row, in any case: `schema.table.column: word`. */
export async function columnsThatHold(pool: Pool, schemas: readonly string[], words: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const { table, column, type } of await columnsOf(pool, schemas)) {
    const text = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`
    const { rows } = await pool.query<{ word: string }>(
      `select word from unnest($1::text[]) word where exists (select 1 from ${table} where position(lower(word) in lower(${text})) > 0)`,
      [words],
    )
    found.push(...rows.map(({ word }) => `${table}.${column}: ${word}`))
  }
  return found
}
