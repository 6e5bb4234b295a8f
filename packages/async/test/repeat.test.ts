import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Repeating, repeat } from '../src/repeat.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const passed = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('each round begins when the wait after the one before is over, however long that one took', async () => {
  const begun: number[] = []
  const start = performance.now()
  const repeating = repeat({
    round: async () => {
      begun.push(performance.now() - start)
      await new Promise((resolve) => setTimeout(resolve, 30))
      return 100
    },
    firstWait: 50,
  })
  await passed(400)
  expect(begun).toEqual([50, 180, 310])
  const stopped = repeating.stop()
  await passed(0)
  await stopped
  await passed(1_000)
  expect(begun).toHaveLength(3)
})

test('a round that answers 0 is followed by the next at once', async () => {
  let left = 3
  const repeating = repeat({ round: async () => (left-- > 0 ? 0 : 1_000) })
  await passed(0)
  expect(left).toBe(-1)
  await repeating.stop()
})

const woken = async (wake: (repeating: Repeating) => Promise<void>) => {
  const begun: number[] = []
  const start = performance.now()
  const repeating = repeat({
    round: async () => {
      begun.push(performance.now() - start)
      await new Promise((resolve) => setTimeout(resolve, 10))
      return { atLeastMs: 100, atMostMs: 1_000 }
    },
  })
  await wake(repeating)
  await passed(2_000)
  await repeating.stop()
  return begun[1]
}

test.each([
  ['never', 1_010, async () => undefined],
  [
    'during the round',
    110,
    async ({ wake }: Repeating) => {
      await passed(5)
      wake()
    },
  ],
  [
    'before the least has passed',
    110,
    async ({ wake }: Repeating) => {
      await passed(50)
      wake()
    },
  ],
  [
    'after the least has passed',
    500,
    async ({ wake }: Repeating) => {
      await passed(500)
      wake()
    },
  ],
])('a wait that may be ended is over where a wake comes %s, after %i ms', async (_, ms, wake) => {
  expect(await woken(wake)).toBe(ms)
})

test('no wake ends a wait that is a number', async () => {
  let rounds = 0
  const repeating = repeat({
    round: async () => {
      rounds++
      return 100
    },
  })
  await passed(10)
  repeating.wake()
  await passed(80)
  expect(rounds).toBe(1)
  await passed(10)
  expect(rounds).toBe(2)
  await repeating.stop()
})

test('a fault says how long to wait, and is no end', async () => {
  const faults: unknown[] = []
  let rounds = 0
  const repeating = repeat({
    round: () => {
      rounds++
      return Promise.reject(new Error(`round ${rounds}`))
    },
    afterFault: (error) => faults.push(String(error)) * 100,
  })
  await passed(100)
  expect(faults).toEqual(['Error: round 1', 'Error: round 2'])
  await passed(199)
  expect(rounds).toBe(2)
  await passed(1)
  expect(rounds).toBe(3)
  await repeating.stop()
})

test('a stop ends a wait, waits for the round that is under way, and aborts its signal', async () => {
  const resting = repeat({ round: async () => 3_600_000 })
  await passed(0)
  await resting.stop()

  const round = Promise.withResolvers<number>()
  let seen: AbortSignal | undefined
  const working = repeat({
    round: (signal) => {
      seen = signal
      return round.promise
    },
  })
  await passed(0)
  let isStopped = false
  const stopped = working.stop().then(() => {
    isStopped = true
  })
  await passed(0)
  expect([seen?.aborted, isStopped]).toEqual([true, false])
  round.resolve(0)
  await stopped
})
