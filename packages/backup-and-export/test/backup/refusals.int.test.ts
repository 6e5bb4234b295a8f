import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseMasterKey } from '@tidings/codec'
import { type Config, ensureSecrets, loadConfig } from '@tidings/config'
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
const restore = async (config = configOf('new')) =>
  restoreBackup({ config, pool: target.pool, directory, manifest: await readManifest(directory), onProgress })

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
    'The master key of this backup is not in it, because its operator kept it: set TIDINGS_MASTER_KEY to that key.',
  )
  await restore(configOf('new', { TIDINGS_MASTER_KEY: STRANGE, TIDINGS_PREVIOUS_MASTER_KEYS: masterKey }))
})

it('a log in EventStoreDB is refused, both ways', async () => {
  const elsewhere = { TIDINGS_EVENT_STORE: 'esdb://127.0.0.1:1?tls=false' }
  await expect(backUp(configOf('data', elsewhere))).rejects.toThrow(
    /^The log is in EventStoreDB, which has no moment in common with Postgres/,
  )
  await backUp()
  await expect(restore(configOf('new', elsewhere))).rejects.toThrow(/^A backup is restored into Postgres alone: unset TIDINGS_EVENT_STORE/)
})
