import { expect, test } from 'vitest'
import { batchedLoad } from './batched-load.ts'

/** Loads that end when the test says so: `asked` has the keys of each, `answer` ends the oldest that is still on its way. */
const someLoads = (maxKeys = 10) => {
  const asked: (readonly string[])[] = []
  const open: ((version: number) => void)[] = []
  const ask = batchedLoad({
    load: (keys: readonly string[]) => {
      asked.push(keys)
      return new Promise<number>((resolve) => open.push(resolve))
    },
    pick: (version, key) => {
      if (key === 'gone') throw new Error('it is gone')
      return `${key} ${version}`
    },
    maxKeys,
  })
  return { ask, asked, answer: (version: number) => open.shift()?.(version) }
}
const aTurn = () => new Promise((resolve) => setImmediate(resolve))

test('what is asked for in one turn travels together, the same key once', async () => {
  const { ask, asked, answer } = someLoads()
  const answers = Promise.all([ask('a'), ask('b'), ask('a')])
  await aTurn()
  expect(asked).toEqual([['a', 'b']])
  answer(1)
  expect(await answers).toEqual(['a 1', 'b 1', 'a 1'])
})

test('a key is not answered by a load that was on its way when it was asked for', async () => {
  const { ask, asked, answer } = someLoads()
  const first = ask('a')
  await aTurn()
  const second = ask('a')
  await aTurn()
  expect(asked).toEqual([['a'], ['a']])
  answer(1)
  answer(2)
  expect([await first, await second]).toEqual(['a 1', 'a 2'])
})

test('more keys than a load takes are several loads', async () => {
  const { ask, asked, answer } = someLoads(2)
  const answers = Promise.all(['a', 'b', 'c'].map(ask))
  await aTurn()
  expect(asked).toEqual([['a', 'b'], ['c']])
  answer(1)
  answer(2)
  expect(await answers).toEqual(['a 1', 'b 1', 'c 2'])
})

test('what one key’s answer throws is told to that key alone', async () => {
  const { ask, answer } = someLoads()
  const answers = Promise.allSettled([ask('a'), ask('gone')])
  await aTurn()
  answer(1)
  expect(await answers).toMatchObject([{ value: 'a 1' }, { reason: new Error('it is gone') }])
})

test('a load that fails is told to all that it was for, and the next turn asks anew', async () => {
  let isAway = true
  const ask = batchedLoad({
    load: async (keys: readonly string[]) => {
      if (isAway) throw new Error('away')
      return new Set(keys)
    },
    pick: (found, key) => found.has(key),
    maxKeys: 10,
  })
  expect(await Promise.allSettled([ask('a'), ask('b')])).toMatchObject([{ reason: new Error('away') }, { reason: new Error('away') }])
  isAway = false
  expect(await ask('a')).toBe(true)
})
