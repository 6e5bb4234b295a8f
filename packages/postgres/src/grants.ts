import pg from 'pg'

const { escapeIdentifier } = pg

type Db = Readonly<{ query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<pg.QueryResult<Row>> }>

/** One right that somebody else than the owner has. `relation`: null for the schema itself; `column`: null for all of them. `grantee`: null for everybody. */
export type Grant = Readonly<{
  relation: string | null
  column: string | null
  grantee: string | null
  privilege: string
  grantable: boolean
}>

const READ = `
  with found as (
    select null::name as relation, null::name as "column", n.nspowner as owner, acl.* from pg_namespace n, aclexplode(n.nspacl) acl where n.nspname = $1
    union all
    select c.relname, null, c.relowner, acl.* from pg_class c join pg_namespace n on n.oid = c.relnamespace, aclexplode(c.relacl) acl
    where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm') and ($2::text[] is null or c.relname = any ($2))
    union all
    select c.relname, a.attname, c.relowner, acl.* from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and not a.attisdropped, aclexplode(a.attacl) acl
    where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm') and ($2::text[] is null or c.relname = any ($2)))
  select f.relation, f."column", r.rolname as grantee, f.privilege_type as privilege, f.is_grantable as grantable
  from found f left join pg_roles r on r.oid = f.grantee
  where f.grantee <> f.owner and (f.grantee = 0 or r.oid is not null)`

/** What others than the owners may do with a schema and its tables and views, or with those that are named. */
export async function readGrants(db: Db, schema: string, relations: readonly string[] | null = null): Promise<readonly Grant[]> {
  const { rows } = await db.query<Grant>(READ, [schema, relations])
  return relations === null ? rows : rows.filter(({ relation }) => relation !== null)
}

const PRIVILEGES = /^[A-Z]+$/

const EXISTS = `select c.relname as relation, a.attname as "column" from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped where n.nspname = $1`

/** Gives the rights again, on what is there by the same name: a table or a column that is gone is left out, and so is a role. */
export async function giveGrants(db: Db, schema: string, grants: readonly Grant[]): Promise<void> {
  if (grants.length === 0) return
  const { rows } = await db.query<{ relation: string; column: string }>(EXISTS, [schema])
  const relations = new Set(rows.map(({ relation }) => relation))
  const columns = new Set(rows.map(({ relation, column }) => `${relation} ${column}`))
  const own = escapeIdentifier(schema)
  for (const { relation, column, grantee, privilege, grantable } of grants) {
    if (!PRIVILEGES.test(privilege) || (relation !== null && !relations.has(relation))) continue
    if (column !== null && !columns.has(`${relation} ${column}`)) continue
    const what = column === null ? privilege : `${privilege} (${escapeIdentifier(column)})`
    const on = relation === null ? `schema ${own}` : `${own}.${escapeIdentifier(relation)}`
    const to = grantee === null ? 'public' : escapeIdentifier(grantee)
    await db.query(`grant ${what} on ${on} to ${to}${grantable ? ' with grant option' : ''}`)
  }
}
