import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBatchLoader } from '../src/batch-loader.ts'

// A load is late by the clock, which stands still while this process does not.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Loads that end on `answer`, the oldest first; `asked` has the keys of each. */
const someLoads = ({ maxKeys = 10, atOnce }: Readonly<{ maxKeys?: number; atOnce?: number }> = {}) => {
  const asked: (readonly string[])[] = []
  const open: ((version: number) => void)[] = []
  const ask = createBatchLoader({
    load: (keys: readonly string[]) => {
      asked.push(keys)
      return new Promise<number>((resolve) => open.push(resolve))
    },
    pick: (version, key) => {
      if (key === 'gone') throw new Error('it is gone')
      return `${key} ${version}`
    },
    maxKeys,
    ...(atOnce !== undefined && { atOnce }),
  })
  return { ask, asked, answer: (version: number) => open.shift()?.(version) }
}
const nextTick = () => new Promise((resolve) => setImmediate(resolve))

test('the keys of one turn of the event loop are one load, each key once', async () => {
  const { ask, asked, answer } = someLoads()
  const answers = Promise.all([ask('a'), ask('b'), ask('a')])
  await nextTick()
  expect(asked).toEqual([['a', 'b']])
  answer(1)
  expect(await answers).toEqual(['a 1', 'b 1', 'a 1'])
})

test('a key is not answered by a load that had started before the call', async () => {
  const { ask, asked, answer } = someLoads()
  const first = ask('a')
  await nextTick()
  const second = ask('a')
  await nextTick()
  expect(asked).toEqual([['a'], ['a']])
  answer(1)
  answer(2)
  expect([await first, await second]).toEqual(['a 1', 'a 2'])
})

test('more keys than a load takes are several loads', async () => {
  const { ask, asked, answer } = someLoads({ maxKeys: 2 })
  const answers = Promise.all(['a', 'b', 'c'].map(ask))
  await nextTick()
  expect(asked).toEqual([['a', 'b'], ['c']])
  answer(1)
  answer(2)
  expect(await answers).toEqual(['a 1', 'b 1', 'c 2'])
})

test('an error in the answer of one key rejects that key alone', async () => {
  const { ask, answer } = someLoads()
  const answers = Promise.allSettled([ask('a'), ask('gone')])
  await nextTick()
  answer(1)
  expect(await answers).toMatchObject([{ value: 'a 1' }, { reason: new Error('it is gone') }])
})

test('a load that fails rejects all its keys, and the next call loads again', async () => {
  let isAway = true
  const ask = createBatchLoader({
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

test('where loads at once are limited, what is asked for meanwhile gathers and is one load', async () => {
  const { ask, asked, answer } = someLoads({ atOnce: 1 })
  const first = ask('a')
  await nextTick()
  const gathered = [ask('b')]
  await nextTick()
  gathered.push(ask('c'), ask('a'))
  await nextTick()
  expect(asked).toEqual([['a']])
  answer(1)
  expect(await first).toBe('a 1')
  await nextTick()
  expect(asked).toEqual([['a'], ['b', 'c', 'a']])
  answer(2)
  expect(await Promise.all(gathered)).toEqual(['b 2', 'c 2', 'a 2'])
})

test('limited loads that gathered more keys than one takes are as many at a time as may be', async () => {
  const { ask, asked, answer } = someLoads({ maxKeys: 1, atOnce: 2 })
  const answers = Promise.all(['a', 'b', 'c', 'd'].map(ask))
  await nextTick()
  expect(asked).toEqual([['a'], ['b']])
  answer(1)
  await nextTick()
  await nextTick()
  expect(asked).toEqual([['a'], ['b'], ['c']])
  answer(2)
  answer(3)
  await nextTick()
  await nextTick()
  answer(4)
  expect(await answers).toEqual(['a 1', 'b 2', 'c 3', 'd 4'])
})

test('a limited load that fails makes room for those that wait', async () => {
  let isAway = true
  const ask = createBatchLoader({
    load: async (keys: readonly string[]) => {
      if (isAway) throw new Error('away')
      return new Set(keys)
    },
    pick: (found, key) => found.has(key),
    maxKeys: 1,
    atOnce: 1,
  })
  const [first, second] = [ask('a'), ask('b')]
  await expect(first).rejects.toThrow('away')
  isAway = false
  expect(await second).toBe(true)
})

test('a limited load that never answers delays the others for a moment only', async () => {
  const asked: (readonly string[])[] = []
  const ask = createBatchLoader({
    load: (keys: readonly string[]) => {
      asked.push(keys)
      return keys.includes('hangs') ? new Promise<string>(() => undefined) : Promise.resolve('found')
    },
    pick: (answer, key) => `${key} ${answer}`,
    maxKeys: 10,
    atOnce: 1,
  })
  void ask('hangs')
  await nextTick()
  const others = [ask('a'), ask('b')]
  await vi.advanceTimersByTimeAsync(99)
  await nextTick()
  expect(asked).toEqual([['hangs']])
  await vi.advanceTimersByTimeAsync(1)
  await nextTick()
  expect(asked).toEqual([['hangs'], ['a', 'b']])
  expect(await Promise.all(others)).toEqual(['a found', 'b found'])
  expect(await ask('c')).toBe('c found')
})
