import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asWorkspaceId } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listPeople } from '../src/index.ts'

let database: TestDatabase
let folder: string

beforeAll(async () => {
  ;[database, folder] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), 'list-file-'))])
})
afterAll(async () => {
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const listing = (file: string, onProgress: () => void = () => undefined) => ({
  ...{ pool: database.pool, workspaceId: asWorkspaceId(randomUUID()), kinds: new Map() },
  ...({ file: join(folder, file), format: 'csv', onProgress } as const),
})

it('leaves no file where it fails, and takes none that is there', async () => {
  await expect(listPeople(listing('failed.csv'))).rejects.toThrow('"read.profiles" does not exist')
  expect(await readdir(folder)).toEqual([])
  await symlink(join(folder, 'nowhere'), join(folder, 'link.csv'))
  await expect(listPeople(listing('link.csv'))).rejects.toThrow('link.csv exists: name a new file.')
  await expect(listPeople(listing('none/list.csv'))).rejects.toThrow('cannot be written (ENOENT)')
})

it('has an empty file until all are there', async () => {
  await database.pool.query('create table read.profiles (workspace_id uuid, id uuid, custom_properties jsonb)')
  let [file, part] = [-1, -1]
  const seen = listing('list.csv', () => {
    ;[file, part] = [statSync(seen.file).size, statSync(`${seen.file}.part`).size]
  })
  expect(await listPeople(seen)).toBe(0)
  expect([file, part]).toEqual([0, (await stat(seen.file)).size])
  expect(part).toBeGreaterThan(0)
  expect(await readdir(folder)).toContain('list.csv')
  expect(await readdir(folder)).not.toContain('list.csv.part')
})
