import { expect, test } from 'vitest'
import { threadHeap } from '../../src/threads/thread-heap.ts'

const GB = 1024 ** 3

test.each([
  [0.5, 2, 220, 16],
  [4, 2, 256, 16],
  [8, 4, 256, 16],
  [24, 2, 1_536, 32],
  [24, 4, 768, 16],
  [256, 4, 2_048, 32],
])('of %d GB, one of %i threads may hold %i MB, and %i in the young heap', (memory, of, old, young) => {
  const limits = threadHeap({ of, least: 220, young: [16, 32] }, memory * GB)
  expect(limits).toEqual({ maxOldGenerationSizeMb: old, maxYoungGenerationSizeMb: young })
})
