import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openKeyRing, parseMasterKey, uuidv7 } from '@tidings/codec'
import { openMasterKeys, postgresKeyStore } from '@tidings/codec/keys'
import { loadConfig } from '@tidings/config'
import { asWorkspaceId } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { givenMasterKeys } from '../../src/stores/given-master-keys.ts'

const OURS = 'a1'.repeat(32)
const OTHER = 'b2'.repeat(32)
const { id } = parseMasterKey(OURS)

let db: TestDatabase
let folder: string
let dataDir: string
let file: string
beforeEach(async () => {
  db = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), 'tidings-keys-'))
  dataDir = join(folder, 'data')
  file = join(dataDir, 'master.key')
  await mkdir(dataDir)
})
afterEach(async () => {
  await db.drop()
  await rm(folder, { recursive: true })
})

const written = () => openKeyRing({ pool: db.pool, masterKey: OURS })

/** Opens the keys as a start does that has these variables. */
const start = async (env: Readonly<Record<string, string>> = {}): Promise<string> => {
  const store = postgresKeyStore(db.pool)
  const config = loadConfig({ TIDINGS_DATA_DIR: dataDir, ...env }, null)
  return (await openMasterKeys(store, await givenMasterKeys(config, store))).current().text
}

const keysOfDatabase = async () => (await db.pool.query('select id from keys.master_key order by id')).rows

it('a first start makes a key, and starts beside it have the same one', async () => {
  const keys = await Promise.all(Array.from({ length: 8 }, () => start()))
  expect(new Set(keys)).toEqual(new Set([(await readFile(file, 'utf8')).trim()]))
  expect(await keysOfDatabase()).toHaveLength(1)
})

it('a key that is missing is named with the places it was looked for, and none is made', async () => {
  await written()
  await expect(start()).rejects.toThrow(
    `This database was written under the master key ${id}, which is not here (there is no ${file}, TIDINGS_MASTER_KEY is not set): ` +
      `put ${file} back as it was, from a copy or from secrets/master.key of a backup, or set TIDINGS_MASTER_KEY to that key.`,
  )
  expect(await readdir(dataDir)).toEqual([])
  expect(await keysOfDatabase()).toEqual([{ id }])
  await writeFile(file, `${OURS}\n`)
  expect(await start()).toBe(OURS)
})

it.each([
  ['is empty', '', /^This database was written under the master key [0-9a-f]{8}, which is not here \(.*data\/master\.key holds no key,/],
  ['was cut off', OURS.slice(0, 63), /data\/master\.key holds no key, TIDINGS_MASTER_KEY is not set\): put /],
  [
    'is another installation’s',
    OTHER,
    /^\S*data\/master\.key is not the key this database was written under \(it has [0-9a-f]{8}; given was [0-9a-f]{8}\): put /,
  ],
])('a file that %s is named by itself, not by a variable that is not set, and stays as it is', async (_, content, sentence) => {
  await written()
  await writeFile(file, content)
  await expect(start()).rejects.toThrow(sentence)
  expect(await readFile(file, 'utf8')).toBe(content)
  expect(await keysOfDatabase()).toEqual([{ id }])
})

it('a folder in the place of the file is named as one, with a database of before or without', async () => {
  await mkdir(file)
  await expect(start()).rejects.toThrow(`${file} is a folder: put there the file as it was`)
  await written()
  await expect(start()).rejects.toThrow(`${file} is a folder`)
})

it('a file that holds no key is refused by its name where the database is new, too', async () => {
  await writeFile(file, 'hello')
  await expect(start()).rejects.toThrow(`${file} must be 32 bytes, as 64 hex digits or as base64.`)
  expect(await keysOfDatabase()).toEqual([])
})

it('a variable that has another key is named itself, and the file beside it stays', async () => {
  await written()
  await writeFile(file, OURS)
  await expect(start({ TIDINGS_MASTER_KEY: OTHER })).rejects.toThrow(
    `TIDINGS_MASTER_KEY is not the key this database was written under (it has ${id}; given was ${parseMasterKey(OTHER).id}): set it to that key.`,
  )
  expect(await readFile(file, 'utf8')).toBe(OURS)
})

it('a database of one’s own says which key it needs, and a new one how a key is made; no file is made for either', async () => {
  const own = { TIDINGS_DATABASE_URL: db.url }
  await expect(start(own)).rejects.toThrow(/^TIDINGS_MASTER_KEY must be set when TIDINGS_DATABASE_URL is: .*openssl rand -hex 32/)
  await written()
  await expect(start(own)).rejects.toThrow(
    `This database was written under the master key ${id}, which is not here (TIDINGS_MASTER_KEY is not set): set it to that key.`,
  )
  expect(await readdir(dataDir)).toEqual([])
})

it('what was wrapped under a key asks for it also where the database has lost the list of its keys', async () => {
  const ring = await written()
  await ring.keyFor(asWorkspaceId(uuidv7()), 'contact:ann')
  await db.pool.query('delete from keys.master_key')
  await expect(start()).rejects.toThrow(`This database was written under the master key ${id}, which is not here`)
  await expect(start({ TIDINGS_MASTER_KEY: OTHER })).rejects.toThrow(
    `TIDINGS_MASTER_KEY is not the key this database was written under (it has ${id}`,
  )
  expect(await readdir(dataDir)).toEqual([])
  expect(await keysOfDatabase()).toEqual([])
  expect(await start({ TIDINGS_MASTER_KEY: OURS })).toBe(OURS)
})
