import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeFolder } from '../src/make-folder.ts'

let scratch: string

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'tidings-folder-'))
})

afterEach(() => rm(scratch, { recursive: true }))

test('a folder is made with those above it, closed as asked, and left alone where it is', async () => {
  const folder = join(scratch, 'a', 'b')
  expect(await makeFolder(folder, 0o700)).toBe(true)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect(await makeFolder(folder)).toBe(false)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
})

test('of many who make it at once each has it', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => makeFolder(join(scratch, 'a', 'b', 'c'))))
  expect(made.filter(Boolean)).toHaveLength(1)
})

test('where no folder can be made it is an error, not a wait without end', async () => {
  await writeFile(join(scratch, 'file'), '')
  await symlink(join(scratch, 'nowhere'), join(scratch, 'link'))
  await expect(makeFolder(join(scratch, 'file', 'a', 'b'))).rejects.toThrow('EEXIST')
  await expect(makeFolder(join(scratch, 'link', 'a', 'b'))).rejects.toThrow('EEXIST')
  await expect(makeFolder('/proc/tidings/a')).rejects.toThrow('ENOENT')
})
