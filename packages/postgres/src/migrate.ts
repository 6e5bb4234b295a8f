import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Pool, PoolClient } from 'pg'

const MIGRATIONS = new URL('../../../deploy/migrations/', import.meta.url)
const LOCK = 7_305_118_241

/**
 * Brings the schema up to date: runs each `deploy/migrations/NNNN_name.sql` that the database has not seen, in order, each in
 * a transaction of its own, and returns their names. Processes that migrate at the same time wait for each other.
 * Throws one sentence when a file that already ran has changed since. With `last`, later files are left for another call.
 */
export async function migrate(pool: Pool, directory: URL = MIGRATIONS, last?: string): Promise<readonly string[]> {
  const client = await pool.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    try {
      return await runPending(client, await filesIn(directory, last))
    } finally {
      await client.query('select pg_advisory_unlock($1)', [LOCK])
    }
  } finally {
    client.release()
  }
}

async function filesIn(directory: URL, last = '\uffff'): Promise<readonly URL[]> {
  const names = (await readdir(directory)).filter((file) => file.endsWith('.sql') && file <= last).sort()
  return names.map((name) => new URL(name, directory))
}

async function runPending(client: PoolClient, files: readonly URL[]): Promise<readonly string[]> {
  await client.query(`create table if not exists public.schema_migration (
    name text primary key, sha256 text not null, applied_at timestamptz not null default now())`)
  const known = await client.query<{ name: string; sha256: string }>('select name, sha256 from public.schema_migration')
  const applied = new Map(known.rows.map((row) => [row.name, row.sha256]))
  const ran: string[] = []
  for (const file of files) {
    const name = basename(file.pathname)
    const sql = await readFile(file, 'utf8')
    const sha256 = createHash('sha256').update(sql).digest('hex')
    if (applied.get(name) === sha256) continue
    if (applied.has(name))
      throw new Error(`The migration ${name} has changed since this database ran it: restore the file and add a new one.`)
    await runOne(client, { name, sql, sha256 })
    ran.push(name)
  }
  return ran
}

async function runOne(client: PoolClient, migration: Readonly<{ name: string; sql: string; sha256: string }>): Promise<void> {
  try {
    await client.query('begin')
    await client.query(migration.sql)
    await client.query('insert into public.schema_migration (name, sha256) values ($1, $2)', [migration.name, migration.sha256])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`The migration ${migration.name} failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
