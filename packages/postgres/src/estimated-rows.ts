import type { Pool } from 'pg'

type Explained = Readonly<{ 'QUERY PLAN': readonly Readonly<{ Plan: Readonly<{ 'Plan Rows': number }> }>[] }>

/**
 * Rows that the planner expects of a table, with a condition or without: from its statistics and its size, without reading a row of it.
 * Autovacuum keeps it within some per cent of a large table. `from` is SQL: never text of a caller.
 */
export async function estimatedRows(pool: Pool, from: string): Promise<number> {
  const { rows } = await pool.query<Explained>(`explain (format json) select from ${from}`)
  return rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0
}
