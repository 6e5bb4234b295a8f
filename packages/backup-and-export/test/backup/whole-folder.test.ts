import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { wholeFolder } from '../../src/backup/whole-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-whole-'))
})
afterEach(() => rm(folder, { recursive: true }))

const fill = (draft: string) => writeFile(join(draft, 'file'), 'content')

test('the folder appears when it is filled, closed to others, and its parents are made', async () => {
  const directory = join(folder, 'backups', 'today')
  await wholeFolder(directory, async (draft) => {
    await fill(draft)
    await expect(stat(directory)).rejects.toThrow('ENOENT')
  })
  expect(await readFile(join(directory, 'file'), 'utf8')).toBe('content')
  expect((await stat(directory)).mode & 0o777).toBe(0o700)
  expect(await readdir(join(folder, 'backups'))).toEqual(['today'])
})

test('an empty folder that is there already is taken', async () => {
  await mkdir(join(folder, 'today'))
  await wholeFolder(join(folder, 'today'), fill)
  expect(await readdir(join(folder, 'today'))).toEqual(['file'])
})

test('a folder with something in it is refused before anything is written', async () => {
  await fill(folder)
  await expect(wholeFolder(folder, fill)).rejects.toThrow(`${folder} is not empty: name a folder that does not exist yet.`)
  await expect(wholeFolder(join(folder, 'file'), fill)).rejects.toThrow(/cannot be used for a backup \(ENOTDIR\)/)
})

test('a failure leaves nothing', async () => {
  const broken = wholeFolder(join(folder, 'today'), async (draft) => {
    await fill(draft)
    throw new Error('the network went away')
  })
  await expect(broken).rejects.toThrow('the network went away')
  expect(await readdir(folder)).toEqual([])
})

test('a full disk is one sentence', async () => {
  const full = wholeFolder(join(folder, 'today'), () => Promise.reject(Object.assign(new Error('ENOSPC: write'), { code: 'ENOSPC' })))
  await expect(full).rejects.toThrow(/today cannot be written \(ENOSPC\): make room, or name a folder that you may write\.$/)
})

test('a place that takes no folders is one sentence', async () => {
  await expect(wholeFolder('/proc/tidings/today', fill)).rejects.toThrow(/^The backup \/proc\/tidings\/today cannot be written \(ENOENT\)/)
})
