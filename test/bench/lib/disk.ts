import type { Pool } from 'pg'

/** Bytes of a table, TOAST with it, and of each of its indices; what waits to be vacuumed, and how often that was done by itself. */
export type TableOnDisk = Readonly<{
  name: string
  bytes: number
  indices: Readonly<Record<string, number>>
  live: number
  dead: number
  changed: number
  autovacuums: number
}>

const TABLES = `
select s.schemaname || '.' || s.relname as name, pg_table_size(s.relid)::float8 as bytes,
       coalesce((select jsonb_object_agg(i.indexrelid::regclass::text, pg_relation_size(i.indexrelid))
                 from pg_index i where i.indrelid = s.relid), '{}') as indices,
       s.n_live_tup::float8 as live, s.n_dead_tup::float8 as dead, (s.n_tup_upd + s.n_tup_del)::float8 as changed,
       s.autovacuum_count::int as autovacuums
from pg_stat_user_tables s order by pg_total_relation_size(s.relid) desc`

/** All tables, the largest first. */
export async function tablesOnDisk(pool: Pool): Promise<readonly TableOnDisk[]> {
  await pool.query('select pg_stat_clear_snapshot()')
  return (await pool.query<TableOnDisk>(TABLES)).rows
}

export function bytesOf({ bytes, indices }: TableOnDisk): number {
  return Object.values(indices).reduce((sum, index) => sum + index, bytes)
}

/** Bytes of write-ahead log that this server has written so far. */
export async function walBytes(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes`)
  return rows[0]?.bytes ?? 0
}
