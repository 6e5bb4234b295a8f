import type { Pool } from 'pg'

/** Connections of a server that its logins may have: `limit` without those that it keeps for superusers, `used` by clients now. */
export type Connections = Readonly<{ limit: number; used: number }>

type ConnectionRow = Readonly<{
  most: number
  kept: number
  role: number
  database: number
  used: number
  ofRole: number
  ofDatabase: number
}>

/** Postgres 16 and later keep some for a role as well. */
const SQL = `select current_setting('max_connections')::int as most,
    current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true)::int, 0) as kept,
    (select rolconnlimit from pg_roles where rolname = current_user) as role,
    (select datconnlimit from pg_database where datname = current_database()) as database,
    (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
    (select count(*)::int from pg_stat_activity where backend_type = 'client backend' and usename = current_user) as "ofRole",
    (select count(*)::int from pg_stat_activity where backend_type = 'client backend' and datname = current_database()) as "ofDatabase"`

/** What is left under the tightest limit: that of the server, of the login or of the database. */
export async function countConnections(pool: Pool): Promise<Connections> {
  const { rows } = await pool.query<ConnectionRow>(SQL)
  const [row] = rows
  if (row === undefined) return { limit: Number.POSITIVE_INFINITY, used: 0 }
  const limits = [
    { limit: row.most - row.kept, used: row.used },
    ...(row.role < 0 ? [] : [{ limit: row.role, used: row.ofRole }]),
    ...(row.database < 0 ? [] : [{ limit: row.database, used: row.ofDatabase }]),
  ]
  return limits.reduce((least, one) => (one.limit - one.used < least.limit - least.used ? one : least))
}
