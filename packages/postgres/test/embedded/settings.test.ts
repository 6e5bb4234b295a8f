import { totalmem } from 'node:os'
import { expect, test, vi } from 'vitest'
import { embeddedBuffersMb, embeddedCacheMb, settingArguments } from '../../src/embedded/settings.ts'

const GB = 1024 ** 3

test.each([
  [0.5, 128],
  [2, 128],
  [4, 256],
  [15.9, 1_017],
  [16, 1_024],
  [256, 1_024],
])('of %s GB of memory the embedded server keeps %i MB for pages', (memory, buffers) => {
  expect(embeddedBuffersMb(memory * GB)).toBe(buffers)
})

test.each([
  [0.5, 1_024],
  [4, 3_072],
  [64, 49_152],
])('of %s GB of memory the embedded server expects to find %i MB in memory', (memory, cached) => {
  expect(embeddedCacheMb(memory * GB)).toBe(cached)
})

test.each([0, 18_446_744_073_709_552_000])('where the bound of memory is given as %d there is none: the machine’s counts', (bound) => {
  vi.spyOn(process, 'constrainedMemory').mockReturnValueOnce(bound)
  expect(embeddedBuffersMb()).toBe(embeddedBuffersMb(totalmem()))
})

test('a container with a bound counts that, and not the memory of the machine', () => {
  vi.spyOn(process, 'constrainedMemory').mockReturnValueOnce(512 * 1024 ** 2)
  expect(embeddedBuffersMb()).toBe(128)
})

test('a server waits for the disk, and keeps as much for pages as it is given', () => {
  expect(settingArguments({ buffersMb: 256 })).toEqual(expect.arrayContaining(['fsync=on', 'shared_buffers=256MB']))
})

test('what the caller sets replaces what an embedded server has, and adds to it', () => {
  const args = settingArguments({ buffersMb: 256, settings: { fsync: 'off', log_connections: 'on' } })
  expect(args).toEqual(expect.arrayContaining(['fsync=off', 'log_connections=on', 'shared_buffers=256MB', 'synchronous_commit=on']))
  expect(args).not.toContain('fsync=on')
})
