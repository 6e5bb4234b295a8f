import { expect, test } from 'vitest'
import { embeddedBuffersMb, settingArguments } from './settings.ts'

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

test('a durable server waits for the disk, and keeps pages by the memory', () => {
  expect(settingArguments(true)).toEqual(expect.arrayContaining(['fsync=on', `shared_buffers=${embeddedBuffersMb()}MB`]))
  expect(settingArguments(false)).toEqual(expect.not.arrayContaining(['fsync=on']))
})
