import { writeFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lock, startOf } from '../../src/embedded/lock.ts'

let folder: string
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-lock-'))
  file = join(folder, 'tidings.pid')
})

afterEach(() => rm(folder, { recursive: true }))

test('a lock names its holder, refuses others, and is free again when it is released', async () => {
  const taken = await lock(file)
  expect(await readFile(file, 'utf8')).toBe(`${hostname()} ${process.pid} ${await startOf(process.pid)}`)
  await expect(lock(file)).rejects.toThrow(`Another Tidings (process ${process.pid}) already runs on ${folder}`)
  await taken.release()
  expect(await readdir(folder)).toEqual([])
  await (await lock(file)).release()
})

test('the lock of a process that is gone, or whose id was reused, is taken over', async () => {
  for (const dead of [`${hostname()} 4194304 1`, `${hostname()} ${process.pid} 1`, 'nonsense']) {
    await writeFile(file, dead)
    const taken = await lock(file)
    expect(await readFile(file, 'utf8')).toContain(String(process.pid))
    await taken.release()
  }
})

test('of many that clear a dead lock at once exactly one gets it', async () => {
  for (let round = 0; round < 25; round++) {
    await writeFile(file, `${hostname()} 4194304 1`)
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => lock(file)))
    const taken = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    expect(taken).toHaveLength(1)
    await taken[0]?.release()
    expect(await readdir(folder)).toEqual([])
  }
})

test('the lock of another host is taken over only when it is no longer touched', async () => {
  await writeFile(file, 'another-host 1 1')
  const touching = setInterval(() => writeFileSync(file, 'another-host 1 1'), 500)
  await expect(lock(file)).rejects.toThrow('Another Tidings (process 1) already runs')
  clearInterval(touching)
  const taken = await lock(file)
  expect(await readFile(file, 'utf8')).toContain(hostname())
  await taken.release()
})
