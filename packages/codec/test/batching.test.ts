import { Unavailable } from '@tidings/event-store'
import { expect, test } from 'vitest'
import { batching } from '../src/batching.ts'

const recorder = (maxBatch = 100, maxWaiting = 100) => {
  const batches: number[][] = []
  const call = batching<number, number>({
    name: 'numbers',
    maxBatch,
    maxWaiting,
    run: async (items) => {
      batches.push([...items])
      if (items.includes(13)) throw new Error('unlucky')
      if (items.includes(14)) throw new Unavailable('away')
      return items.map((item) => item * 2)
    },
  })
  return { batches, call }
}

test('the calls of one turn are one batch, each with its own answer', async () => {
  const { batches, call } = recorder()
  expect(await Promise.all([1, 2, 3].map(call))).toEqual([2, 4, 6])
  expect(batches).toEqual([[1, 2, 3]])
})

test('a batch is bounded, and the next one follows', async () => {
  const { batches, call } = recorder(2)
  await Promise.all([1, 2, 3].map(call))
  expect(batches).toEqual([[1, 2], [3]])
})

test('a failed batch fails its calls and no later one', async () => {
  const { call } = recorder()
  await expect(call(13)).rejects.toThrow('unlucky')
  expect(await call(4)).toBe(8)
})

test('those who wait behind a batch that was Unavailable share that, and the next to ask is served', async () => {
  const { batches, call } = recorder(1)
  const calls = [call(14), call(2), call(3)]
  for (const { status } of await Promise.allSettled(calls)) expect(status).toBe('rejected')
  expect(batches).toEqual([[14]])
  expect(await call(4)).toBe(8)
})

test('a call over the limit is refused at once', async () => {
  const { call } = recorder(100, 2)
  const accepted = [call(1), call(2)]
  await expect(call(3)).rejects.toThrow(Unavailable)
  expect(await Promise.all(accepted)).toEqual([2, 4])
})
