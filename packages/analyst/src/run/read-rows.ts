import { OperationFailed } from '@tidings/config'
import pg, { type Pool } from 'pg'
import { signIn } from './role.ts'

const { escapeIdentifier } = pg

/** A table or view of a schema that `projection run` filled; at most `limit` rows. */
export type RowsAsked = Readonly<{ pool: Pool; schema: string; table: string; limit: number }>

/**
 * Rows in the order of the first columns. Under the schema's own role: a view of a file may call functions, and under the service's login they
 * would have its rights.
 */
export async function readRows({ pool, schema, table, limit }: RowsAsked): Promise<readonly object[]> {
  const { rowCount } = await pool.query('select 1 from pg_class where relnamespace = to_regnamespace($1) and relname = $2', [
    escapeIdentifier(schema),
    table,
  ])
  if (rowCount === 0) throw new OperationFailed(`There is no table ${schema}.${table}: \`projection run\` prints those that it filled.`)
  const { client } = await signIn(pool, schema)
  try {
    await client.query('begin read only')
    const { rows } = await client.query<{ row: object }>(
      `select row_to_json(t) as row from (select * from ${escapeIdentifier(schema)}.${escapeIdentifier(table)} t order by t limit $1) t`,
      [limit],
    )
    return rows.map(({ row }) => row)
  } finally {
    await client.end().catch(() => undefined) // a lost connection is an end too
  }
}
