import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '@tidings/config'
import { migrate } from '@tidings/postgres'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Manifest, readManifest } from './manifest.ts'
import { restoreBackup } from './restore-backup.ts'
import { migrationsOf, tablesOf } from './schema.ts'
import { SCHEMAS } from './tables.ts'
import { writeBackup } from './write-backup.ts'

const config = loadConfig({ TIDINGS_DATABASE_URL: 'postgres://unused', TIDINGS_MASTER_KEY: '01'.repeat(32) }, null)
/** A schema that backups were written from. */
const OLD = '0006_outbox.sql'

const onProgress = () => undefined

let source: TestDatabase
let target: TestDatabase
let directory: string
beforeEach(async () => {
  source = await testDatabase()
  target = await testDatabase()
  await target.pool.query(`drop schema ${SCHEMAS.join(', ')} cascade; drop table public.schema_migration`)
  directory = join(await mkdtemp(join(tmpdir(), 'tidings-older-')), 'backup')
})
afterEach(async () => {
  await source.drop()
  await target.drop()
  await rm(join(directory, '..'), { recursive: true })
})

const backUp = () => writeBackup({ config, pool: source.pool, directory, onProgress })
const restore = async () => restoreBackup({ config, pool: target.pool, directory, manifest: await readManifest(directory), onProgress })

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
