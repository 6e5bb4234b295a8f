import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parseMasterKey } from '@tidings/codec'
import { type Config, ensureSecrets, loadConfig, readVapidKey, vapidKeys } from '@tidings/config'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readManifest } from '../../src/backup/manifest.ts'
import { restoreBackup } from '../../src/backup/restore-backup.ts'
import { writeBackup } from '../../src/backup/write-backup.ts'

const STRANGE = 'ab'.repeat(32)
const onProgress = () => undefined

let source: TestDatabase
let target: TestDatabase
let folder: string
let directory: string
let masterKey: string
beforeEach(async () => {
  source = await testDatabase()
  target = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), 'tidings-refusals-'))
  directory = join(folder, 'backup')
  masterKey = (await ensureSecrets(join(folder, 'data'))).masterKey
  const { id, checkValue } = parseMasterKey(masterKey)
  await source.pool.query('insert into keys.master_key (id, check_value) values ($1, $2)', [id, checkValue])
})
afterEach(async () => {
  await source.drop()
  await target.drop()
  await rm(folder, { recursive: true })
})

/** The settings of an installation whose data directory has this name. */
const configOf = (dataDir: string, env: Readonly<Record<string, string>> = {}): Config =>
  loadConfig({ TIDINGS_DATA_DIR: join(folder, dataDir), ...env }, null)
const backUp = (config = configOf('data')) => writeBackup({ config, pool: source.pool, directory, onProgress })
const backUpAgain = async () => {
  await rm(directory, { recursive: true })
  await backUp()
}
const restore = async (config = configOf('new')) =>
  restoreBackup({ config, connect: async () => target.pool, directory, manifest: await readManifest(directory), onProgress })

it.each([
  ['tables/es.event.copy.gz', 0.5, 'is not what was backed up: the backup is damaged, use another one.'],
  // A letter of a name in its middle would make it another name.
  ['manifest.json', 0, 'is damaged, or was written by another version of Tidings: use that version, or another backup.'],
])('a backup whose %s was changed is refused, and nothing is written', async (name, where, sentence) => {
  await backUp()
  const file = join(directory, name)
  const content = await readFile(file)
  const at = Math.floor(content.length * where)
  content[at] = (content[at] ?? 0) ^ 0xff
  await writeFile(file, content)
  await expect(restore()).rejects.toThrow(`${file} ${sentence}`)
  expect((await target.pool.query('select from keys.master_key')).rowCount).toBe(0)
  expect(await readdir(folder)).not.toContain('new')
})

it('a backup that lacks a file is refused', async () => {
  await backUp()
  const file = join(directory, 'tables/inbox.job.copy.gz')
  await rm(file)
  await expect(restore()).rejects.toThrow(`${file} cannot be read (ENOENT): the backup is damaged, use another one.`)
})

it('a folder that is no backup is refused', async () => {
  await mkdir(directory)
  await expect(restore()).rejects.toThrow(`${directory} is not a backup of Tidings: there is no manifest.json in it.`)
})

it('a data directory with another master key is refused, and keeps it', async () => {
  await backUp()
  await mkdir(join(folder, 'strange'))
  await writeFile(join(folder, 'strange/master.key'), STRANGE)
  await expect(restore(configOf('strange'))).rejects.toThrow(
    /strange\/master\.key is not the key this backup was written under \([0-9a-f]{8}\)/,
  )
  expect(await readFile(join(folder, 'strange/master.key'), 'utf8')).toBe(STRANGE)
})

it('a backup with another installation’s master key in it is refused', async () => {
  await backUp()
  await writeFile(join(directory, 'secrets/master.key'), STRANGE)
  await expect(restore()).rejects.toThrow(/backup\/secrets\/master\.key is not the key this backup was written under/)
})

it('a database of one’s own needs the key to be set, and the sentence says where it is', async () => {
  await backUp()
  const own = { TIDINGS_DATABASE_URL: target.url }
  const file = join(directory, 'secrets/master.key')
  await expect(restore(configOf('new', own))).rejects.toThrow(
    `A database of your own needs TIDINGS_MASTER_KEY: set it to the content of ${file}.`,
  )
  await restore(configOf('new', { ...own, TIDINGS_MASTER_KEY: masterKey }))
  expect(await readdir(folder)).not.toContain('new')
})

it('a master key that its operator kept is not in the backup, and has to be set', async () => {
  const { masterKeyIncluded } = await backUp(configOf('data', { TIDINGS_MASTER_KEY: masterKey }))
  expect(masterKeyIncluded).toBe(false)
  expect(await readdir(directory)).not.toContain('secrets')
  await expect(restore()).rejects.toThrow(
    `This backup was written under the master key ${parseMasterKey(masterKey).id}, which is not here (TIDINGS_MASTER_KEY is not set, ` +
      `there is no ${join(folder, 'new/master.key')}, there is no ${join(directory, 'secrets/master.key')}): ` +
      'its operator kept the key and the backup never had it: set TIDINGS_MASTER_KEY to that key.',
  )
  expect(await readdir(folder)).not.toContain('new')
  await restore(configOf('new', { TIDINGS_MASTER_KEY: STRANGE, TIDINGS_PREVIOUS_MASTER_KEYS: masterKey }))
})

it('a backup that has lost its master key names it and where it was, and nothing is written', async () => {
  await backUp()
  await rm(join(directory, 'secrets/master.key'))
  await expect(restore()).rejects.toThrow(
    new RegExp(
      `^This backup was written under the master key ${parseMasterKey(masterKey).id}, .* the backup is damaged, .* use another copy`,
    ),
  )
  expect(await readdir(folder)).not.toContain('new')
  expect((await target.pool.query('select from keys.master_key')).rowCount).toBe(0)
})

it('the key in the data directory serves a backup without one', async () => {
  await backUp()
  await rm(join(directory, 'secrets/master.key'))
  await mkdir(join(folder, 'kept'))
  await writeFile(join(folder, 'kept/master.key'), masterKey)
  await restore(configOf('kept'))
  expect(await readFile(join(folder, 'kept/master.key'), 'utf8')).toBe(masterKey)
  expect((await target.pool.query('select from keys.master_key')).rowCount).toBe(1)
})

it('a backup that has lost the key of web push, or half of it, is refused before anything is written', async () => {
  const config = configOf('data')
  await vapidKeys(config)
  await backUp(config)
  const file = join(directory, 'secrets/vapid.key')
  await writeFile(file, 'half')
  await expect(restore()).rejects.toThrow(`${file} holds no key, under which browsers subscribed: use another copy of the backup`)
  await rm(file)
  await expect(restore()).rejects.toThrow(`There is no ${file}, under which browsers subscribed`)
  expect(await readdir(folder)).not.toContain('new')
})

it('rows that cannot be loaded leave the data directory as it was', async () => {
  const before = configOf('new')
  const { privateKey } = (await vapidKeys(before)) ?? {}
  await vapidKeys(configOf('data'))
  await backUp()
  // The checksum is that of the file, and its rows are none.
  const file = join(directory, 'tables/es.event.copy.gz')
  await writeFile(file, gzipSync('not\ta row\n'))
  const manifest = await readManifest(directory)
  const sha256 = createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
  const tables = manifest.tables.map((table) => (table.name === 'es.event' ? { ...table, rows: 1, sha256 } : table))
  const connect = async () => target.pool
  await expect(restoreBackup({ config: before, connect, directory, manifest: { ...manifest, tables }, onProgress })).rejects.toThrow()
  expect(await readdir(join(folder, 'new'))).toEqual(['vapid.key'])
  expect(await readVapidKey(join(folder, 'new'))).toBe(privateKey)
  await backUpAgain()
  await restore(before)
  expect((await readdir(join(folder, 'new'))).sort()).toEqual(['master.key', 'restored', 'vapid.key'])
  expect(await readVapidKey(join(folder, 'new'))).not.toBe(privateKey)
})

it('a data directory that has lost its key is not backed up without it', async () => {
  await rm(join(folder, 'data/master.key'))
  await expect(backUp()).rejects.toThrow(
    `This database was written under the master key ${parseMasterKey(masterKey).id}, which is not here (there is no ${join(folder, 'data/master.key')}`,
  )
  expect(await readdir(folder)).not.toContain('backup')
})

it('a backup that needs migrations that are not here runs none', async () => {
  await backUp()
  const manifest = await readManifest(directory)
  const migrations = [...manifest.migrations, { name: '9999_of_tomorrow.sql', sha256: 'ab'.repeat(32) }]
  let connected = false
  const connect = async () => {
    connected = true
    return target.pool
  }
  await expect(
    restoreBackup({ config: configOf('new'), connect, directory, manifest: { ...manifest, migrations }, onProgress }),
  ).rejects.toThrow(
    'The backup needs the migration 9999_of_tomorrow.sql, which this version of Tidings has not: use the version that wrote it.',
  )
  expect(connected).toBe(false)
})

it('a log in EventStoreDB is refused, both ways', async () => {
  const elsewhere = { TIDINGS_EVENT_STORE: 'esdb://127.0.0.1:1?tls=false' }
  await expect(backUp(configOf('data', elsewhere))).rejects.toThrow(
    /^The log is in EventStoreDB, which has no moment in common with Postgres/,
  )
  await backUp()
  await expect(restore(configOf('new', elsewhere))).rejects.toThrow(/^A backup is restored into Postgres alone: unset TIDINGS_EVENT_STORE/)
})
