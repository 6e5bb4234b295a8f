import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'

/** The first migration of the versions before the first release: no migration leads from their schema to the one here. */
const FIRST_UNRELEASED = '0001_event_log.sql'

/** Why a database or a backup that ran these migrations is refused, in one sentence; null where it is not of an unreleased version. */
export function unreleasedReason(what: 'backup' | 'database', migrations: Iterable<string>): string | null {
  if (!new Set(migrations).has(FIRST_UNRELEASED)) return null
  return `The ${what} is of an unreleased version of Tidings, whose schema this version does not bring up to date: export its log with the program that made it (\`tidings log export\`, and \`tidings backup\` for a copy that only that program restores), or start anew with another data directory or an empty database.`
}

const MIGRATIONS = new URL('../../../deploy/migrations/', import.meta.url)
const LOCK = 7_305_118_241

type Migration = Readonly<{ name: string; sql: string; sha256: string }>

/**
 * Brings the schema up to date: runs each `deploy/migrations/NNNN_name.sql` that the database has not seen, in order, each in
 * a transaction of its own, and returns their names. Processes that migrate at the same time wait for each other. A file waits for no lock longer than 2 s at a
 * time, so that no writer waits long behind it.
 * Throws one sentence, and runs nothing, when the database is of an unreleased version, when a file that already ran has changed since, or when a
 * new one is numbered below one that ran: databases that ran them in another order would differ. With `last`, later files are left for another call.
 */
export async function migrate(pool: Pool, directory: URL = MIGRATIONS, last?: string): Promise<readonly string[]> {
  const client = await pool.connect()
  let lost: Error | undefined
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    return await runPending(client, await migrationsIn(directory, last))
  } finally {
    // A connection that is lost holds no lock, and does not go back into the pool.
    await client.query('select pg_advisory_unlock($1)', [LOCK]).catch((error: Error) => {
      lost = error
    })
    client.release(lost)
  }
}

/** How the schema of a database compares with the migrations of this version; each list in the order of the names. */
export type SchemaComparison = Readonly<{
  /** No migration ever ran. */
  empty: boolean
  /** Why the database is refused that an unreleased version made; null where none did. */
  unreleased: string | null
  /** Migrations that have not run yet. */
  pending: readonly string[]
  /** Run from a file that reads differently here. */
  changed: readonly string[]
  /** Run by a version that has more migrations than this one. */
  unknown: readonly string[]
}>

/** Compares names and hashes; changes nothing. */
export async function compareSchema(pool: Pool, directory: URL = MIGRATIONS): Promise<SchemaComparison> {
  const shipped = await migrationsIn(directory)
  const { rows } = await pool.query<{ found: boolean }>(`select to_regclass('public.schema_migration') is not null as found`)
  const applied = rows[0]?.found ? await appliedTo(pool) : new Map<string, string>()
  const names = new Set(shipped.map(({ name }) => name))
  return {
    empty: applied.size === 0,
    unreleased: unreleasedReason('database', applied.keys()),
    pending: shipped.filter(({ name }) => !applied.has(name)).map(({ name }) => name),
    changed: shipped.filter(({ name, sha256 }) => applied.has(name) && applied.get(name) !== sha256).map(({ name }) => name),
    unknown: [...applied.keys()].filter((name) => !names.has(name)),
  }
}

/** The migrations of this version, in order. */
export async function shippedMigrations(): Promise<readonly Readonly<{ name: string; sha256: string }>[]> {
  return (await migrationsIn(MIGRATIONS)).map(({ name, sha256 }) => ({ name, sha256 }))
}

async function migrationsIn(directory: URL, last = '\uffff'): Promise<readonly Migration[]> {
  const names = (await readdir(directory)).filter((file) => file.endsWith('.sql') && file <= last).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, directory), 'utf8')
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

async function appliedTo(db: Pool | PoolClient): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ name: string; sha256: string }>('select name, sha256 from public.schema_migration')
  return new Map(rows.map((row): [string, string] => [row.name, row.sha256]).sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function runPending(client: PoolClient, migrations: readonly Migration[]): Promise<readonly string[]> {
  await client.query(`create table if not exists public.schema_migration (
    name text primary key, sha256 text not null, applied_at timestamptz not null default now())`)
  const applied = await appliedTo(client)
  const unreleased = unreleasedReason('database', applied.keys())
  if (unreleased !== null) throw new Error(unreleased)
  const pending = migrations.filter(({ name }) => !applied.has(name))
  assertUnchanged(migrations, applied)
  assertInOrder(pending, [...applied.keys()].at(-1))
  for (const migration of pending) await runOne(client, migration)
  return pending.map(({ name }) => name)
}

function assertUnchanged(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): void {
  const changed = migrations.find(({ name, sha256 }) => applied.has(name) && applied.get(name) !== sha256)
  if (changed === undefined) return
  throw new Error(`The migration ${changed.name} has changed since this database ran it: restore the file and add a new one.`)
}

function assertInOrder([first]: readonly Migration[], highest: string | undefined): void {
  if (first === undefined || highest === undefined || first.name > highest) return
  throw new Error(`The migration ${first.name} is numbered below ${highest}, which this database has run: give it a higher number.`)
}

/** A lock was not to be had in time, or a deadlock chose the migration. */
const LOCKED = new Set<unknown>(['55P03', '40P01'])
/** Every process that needs a table waits behind a migration that waits for it: so long at most, and then not until it tries again. */
const LOCK_TIMEOUT_MS = 2_000
const PAUSE_MS = 2_000

/** Tries until it has its locks: a backup reads the tables of jobs for minutes, and nothing is sent behind a migration that waits for its end. */
async function runOne(client: PoolClient, migration: Migration): Promise<void> {
  for (;;) {
    try {
      await client.query('begin')
      await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
      await client.query(migration.sql)
      await client.query('insert into public.schema_migration (name, sha256) values ($1, $2)', [migration.name, migration.sha256])
      await client.query('commit')
      return
    } catch (error) {
      // A connection that is lost has rolled back.
      await client.query('rollback').catch(() => undefined)
      if (!(error instanceof Error && 'code' in error && LOCKED.has(error.code)))
        throw new Error(`The migration ${migration.name} failed: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        })
    }
    await sleep(PAUSE_MS)
  }
}
