import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ensureSecrets, putSecrets, readSecrets, replaceMasterKey } from '../src/secrets.ts'

let folder: string
let dir: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-secrets-'))
  dir = join(folder, 'data')
})

afterEach(() => rm(folder, { recursive: true }))

test('the master key is made once, 32 bytes, readable by its owner alone', async () => {
  const first = await ensureSecrets(dir)
  expect(first.masterKey).toMatch(/^[0-9a-f]{64}$/)
  expect(await ensureSecrets(dir)).toEqual(first)
  expect((await stat(join(dir, 'master.key'))).mode & 0o777).toBe(0o600)
  expect(await readdir(dir)).toEqual(['master.key'])
})

test('first starts at the same moment agree on one key', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => ensureSecrets(dir)))
  expect(new Set(all.map((secrets) => secrets.masterKey)).size).toBe(1)
})

test('secrets can be read without making any, and put where there are none; those that are there stay', async () => {
  expect(await readSecrets(dir)).toBeNull()
  const placed = { masterKey: 'ab'.repeat(32) }
  expect(await putSecrets(dir, placed)).toEqual(placed)
  expect(await putSecrets(dir, { masterKey: 'cd'.repeat(32) })).toEqual(placed)
  expect(await readSecrets(dir)).toEqual(placed)
})

test('a place that cannot be read or written is named in one sentence, and no draft stays', async () => {
  await writeFile(dir, 'a file')
  await expect(readSecrets(dir)).rejects.toThrow(`${join(dir, 'master.key')} cannot be read (ENOTDIR): put there the file as it was`)
  await expect(putSecrets(dir, { masterKey: 'ab'.repeat(32) })).rejects.toThrow(`${join(dir, 'master.key')} cannot be written (`)
  expect(await readFile(dir, 'utf8')).toBe('a file')
  const other = join(folder, 'other')
  await mkdir(join(other, 'master.key'), { recursive: true })
  await expect(replaceMasterKey(other, 'ab'.repeat(32))).rejects.toThrow(`${join(other, 'master.key')} cannot be written (`)
  expect(await readdir(other)).toEqual(['master.key'])
})
