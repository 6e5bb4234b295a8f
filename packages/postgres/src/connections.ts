import type { Pool } from 'pg'

/** Connections of a server that its logins may have: `limit` without those that it keeps for superusers, `used` by clients now, `strange` by what is not of this installation. */
type Connections = Readonly<{ limit: number; used: number; strange: number }>

type ConnectionRow = Readonly<{
  most: number
  kept: number
  role: number
  database: number
  used: number
  strange: number
  ofRole: number
  strangeOfRole: number
  ofDatabase: number
  strangeOfDatabase: number
}>

/** Postgres 16 and later keep some for a role as well. */
const SQL = `select current_setting('max_connections')::int as most,
    current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true)::int, 0) as kept,
    (select rolconnlimit from pg_roles where rolname = current_user) as role,
    (select datconnlimit from pg_database where datname = current_database()) as database,
    count(*)::int as used, count(*) filter (where is_strange)::int as strange,
    count(*) filter (where is_ours)::int as "ofRole", count(*) filter (where is_ours and is_strange)::int as "strangeOfRole",
    count(*) filter (where is_here)::int as "ofDatabase", count(*) filter (where is_here and is_strange)::int as "strangeOfDatabase"
  from (select usename = current_user as is_ours, datname = current_database() as is_here,
      datname is distinct from current_database() or coalesce(application_name, '') not like 'tidings%' as is_strange
    from pg_stat_activity where backend_type = 'client backend') clients`

/** The limit that leaves least beside those that are `taken`: that of the server, of the login or of the database. */
export async function countConnections(pool: Pool, taken: 'used' | 'strange' = 'used'): Promise<Connections> {
  const { rows } = await pool.query<ConnectionRow>(SQL)
  const [row] = rows
  if (row === undefined) return { limit: Number.POSITIVE_INFINITY, used: 0, strange: 0 }
  const limits = [
    { limit: row.most - row.kept, used: row.used, strange: row.strange },
    ...(row.role < 0 ? [] : [{ limit: row.role, used: row.ofRole, strange: row.strangeOfRole }]),
    ...(row.database < 0 ? [] : [{ limit: row.database, used: row.ofDatabase, strange: row.strangeOfDatabase }]),
  ]
  return limits.reduce((least, one) => (one.limit - one[taken] < least.limit - least[taken] ? one : least))
}
