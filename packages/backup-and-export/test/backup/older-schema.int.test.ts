import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig, OperationFailed } from '@tidings/config'
import { migrate } from '@tidings/postgres'
import { type TestDatabase, testDatabase, UNRELEASED_MIGRATIONS } from '@tidings/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Manifest, readManifest } from '../../src/backup/manifest.ts'
import { restoreBackup } from '../../src/backup/restore-backup.ts'
import { migrationsOf, tablesOf } from '../../src/backup/schema.ts'
import { SCHEMAS } from '../../src/backup/tables.ts'
import { writeBackup } from '../../src/backup/write-backup.ts'

const config = loadConfig({ TIDINGS_DATABASE_URL: 'postgres://unused', TIDINGS_MASTER_KEY: '01'.repeat(32) }, null)
/** A schema that backups were written from. */
const OLD = '0009_read.sql'

const onProgress = () => undefined

let source: TestDatabase
let target: TestDatabase
let directory: string
beforeEach(async () => {
  source = await testDatabase()
  target = await testDatabase()
  await target.pool.query(`drop schema ${[...SCHEMAS, 'read'].join(', ')} cascade; drop table public.schema_migration`)
  directory = join(await mkdtemp(join(tmpdir(), 'tidings-older-')), 'backup')
})
afterEach(async () => {
  await source.drop()
  await target.drop()
  await rm(join(directory, '..'), { recursive: true })
})

const backUp = () => writeBackup({ config, pool: source.pool, directory, onProgress })
const restore = async () =>
  restoreBackup({ config, connect: async () => target.pool, directory, manifest: await readManifest(directory), onProgress })

/** Makes the backup say something else about itself. */
const pretend = async (change: (manifest: Manifest) => Partial<Manifest>): Promise<void> => {
  const manifest = await readManifest(directory)
  await writeFile(join(directory, 'manifest.json'), JSON.stringify({ ...manifest, ...change(manifest) }))
}

it('a backup from before a migration is loaded into the schema it had, and migrated then', async () => {
  const all = await migrationsOf(source.pool)
  await source.pool.query(`insert into ops.api_key_usage values (gen_random_uuid(), gen_random_uuid(), now())`)
  await backUp()
  await migrate(target.pool, undefined, OLD)
  const present = await tablesOf(target.pool, SCHEMAS)
  await pretend(({ migrations, tables }) => ({
    migrations: migrations.filter(({ name }) => name <= OLD),
    tables: tables.filter(({ name }) => present.includes(name)),
  }))
  await restore()
  expect(await migrationsOf(target.pool)).toEqual(all)
  expect((await target.pool.query('select count(*)::int as n from ops.api_key_usage')).rows).toEqual([{ n: 1 }])
})

it('a backup from a later version is refused', async () => {
  await backUp()
  await pretend(({ migrations }) => ({ migrations: [...migrations, { name: '9999_later.sql', sha256: '0'.repeat(64) }] }))
  await expect(restore()).rejects.toThrow(
    'The backup needs the migration 9999_later.sql, which this version of Tidings has not: use the version that wrote it.',
  )
})

it('a database that is ahead of the backup is refused', async () => {
  const last = (await migrationsOf(source.pool)).at(-1)?.name
  await backUp()
  await pretend(({ migrations }) => ({ migrations: migrations.slice(0, -1) }))
  await migrate(target.pool)
  await expect(restore()).rejects.toThrow(
    `The database has run ${last}, which the backup is older than: restore into one on which \`tidings migrate\` has not run.`,
  )
})

it('a backup that breaks off in the middle of loading leaves the database as empty as it was', async () => {
  await source.pool.query(`insert into ops.api_key_usage values (gen_random_uuid(), gen_random_uuid(), now())`)
  await backUp()
  await pretend(({ tables }) => ({ tables: tables.map((table) => (table.name === 'inbox.job' ? { ...table, rows: 7 } : table)) }))
  await expect(restore()).rejects.toThrow('inbox.job.copy.gz holds 0 rows instead of 7')
  expect((await target.pool.query('select count(*)::int as n from ops.api_key_usage')).rows).toEqual([{ n: 0 }])
})

const UNRELEASED =
  'is of an unreleased version of Tidings, whose schema this version does not bring up to date: export its log with the program that made it (`tidings log export`, and `tidings backup` for a copy that only that program restores), or start anew with another data directory or an empty database.'

it('a backup of an unreleased version is refused, whatever tables it names, and nothing is made', async () => {
  await backUp()
  await pretend(({ tables }) => ({ migrations: UNRELEASED_MIGRATIONS, tables }))
  await expect(restore()).rejects.toThrow(new OperationFailed(`The backup ${UNRELEASED}`))
  const text = await readFile(join(directory, 'manifest.json'), 'utf8')
  await writeFile(join(directory, 'manifest.json'), text.replaceAll('webhooks.suspended_workspace', 'webhooks.held_workspace'))
  await expect(restore()).rejects.toThrow(new OperationFailed(`The backup ${UNRELEASED}`))
  expect(await migrationsOf(target.pool)).toEqual([])
})

it('a database of an unreleased version is not backed up, and not restored into', async () => {
  await backUp()
  const rows = [UNRELEASED_MIGRATIONS.map(({ name }) => name), UNRELEASED_MIGRATIONS.map(({ sha256 }) => sha256)]
  const becomeUnreleased = async ({ pool }: TestDatabase): Promise<void> => {
    await pool.query('create table if not exists public.schema_migration (name text primary key, sha256 text not null)')
    await pool.query('delete from public.schema_migration')
    await pool.query('insert into public.schema_migration (name, sha256) select * from unnest($1::text[], $2::text[])', rows)
  }
  await becomeUnreleased(target)
  await expect(restore()).rejects.toThrow(new OperationFailed(`The database ${UNRELEASED}`))
  await becomeUnreleased(source)
  const another = join(directory, '..', 'another')
  await expect(writeBackup({ config, pool: source.pool, directory: another, onProgress })).rejects.toThrow(
    new OperationFailed(`The database ${UNRELEASED}`),
  )
})
