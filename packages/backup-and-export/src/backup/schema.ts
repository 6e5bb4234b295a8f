import { OperationFailed } from '@tidings/config'
import { unreleasedReason } from '@tidings/postgres'
import type { ClientBase, Pool } from 'pg'
import { KEPT, LEFT_OUT, SCHEMAS } from './tables.ts'

type Queryable = Pick<ClientBase | Pool, 'query'>

export type Migration = Readonly<{ name: string; sha256: string }>

/** The migrations that a database has run, in order; none where it has no schema of Tidings. */
export async function migrationsOf(db: Queryable): Promise<readonly Migration[]> {
  const { rows } = await db.query<{ found: boolean }>(`select to_regclass('public.schema_migration') is not null as found`)
  if (!rows[0]?.found) return []
  return (await db.query<Migration>('select name, sha256 from public.schema_migration order by name')).rows
}

/** Throws one sentence where these are migrations of an unreleased version. */
export function assertReleased(what: 'backup' | 'database', migrations: readonly Pick<Migration, 'name'>[]): void {
  const reason = unreleasedReason(
    what,
    migrations.map(({ name }) => name),
  )
  if (reason !== null) throw new OperationFailed(reason)
}

/** The tables of some schemas, by their whole name. */
export async function tablesOf(db: Queryable, schemas: readonly string[]): Promise<readonly string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname = any ($1) order by 1`,
    [schemas],
  )
  return rows.map(({ name }) => name)
}

/** Throws where the database has tables that this version cannot judge, or lacks some: a backup must not be incomplete in silence. */
export async function assertSchema(db: Queryable): Promise<void> {
  const present = await tablesOf(db, SCHEMAS)
  const missing = KEPT.filter((name) => !present.includes(name))
  if (missing.length > 0) throw new OperationFailed(`The database has no ${missing.join(', ')} yet: run \`tidings migrate\` first.`)
  const known: readonly string[] = [...KEPT, ...Object.keys(LEFT_OUT)]
  const unknown = present.filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  throw new OperationFailed(
    `The database has ${unknown.join(', ')}, which this version of Tidings does not know: use the version that runs on it.`,
  )
}
