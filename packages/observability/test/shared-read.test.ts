import { expect, it } from 'vitest'
import { sharedRead } from '../src/metrics.ts'

it('is one for all who ask while it runs and for 5 s after it', async () => {
  let [time, reads] = [0, 0]
  const gate = Promise.withResolvers<void>()
  const read = sharedRead(
    async () => {
      reads++
      await gate.promise
      return reads
    },
    { now: () => time },
  )
  const both = Promise.all([read(), read()])
  time = 60_000
  const third = read()
  gate.resolve()
  expect([await both, await third]).toEqual([[1, 1], 1])
  time += 4_999
  expect(await read()).toBe(1)
  time += 1
  expect(await read()).toBe(2)
})

it('that fails is begun again by the next who asks', async () => {
  let reads = 0
  const read = sharedRead(async () => {
    if (reads++ === 0) throw new Error('the database is away')
    return reads
  })
  await expect(Promise.all([read(), read()])).rejects.toThrow('away')
  expect([await read(), reads]).toEqual([2, 2])
})

it('is kept for as long as its maker says', async () => {
  let [time, reads] = [0, 0]
  const read = sharedRead(async () => ++reads, { keptMs: 1_000, now: () => time })
  expect(await Promise.all([read(), read()])).toEqual([1, 1])
  time = 999
  expect(await read()).toBe(1)
  time = 1_000
  expect(await read()).toBe(2)
})
