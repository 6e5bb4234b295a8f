import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { threadCount } from '../../src/threads/thread-count.ts'

const MB = 1024 ** 2

test('there are as many threads as cores, at most four, and one for each 512 MB', () => {
  const most = Math.min(4, availableParallelism())
  expect([200, 768, 1_024, 64_000].map((memory) => threadCount(memory * MB))).toEqual([1, 1, Math.min(2, most), most])
})
