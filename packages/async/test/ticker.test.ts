import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startTicker } from '../src/ticker.ts'

// Tickers of one period share a timer of their process: what other files left has none of these periods.
const EVERY_MS = 110
const OFTEN_MS = 270
const SELDOM_MS = 4 * OFTEN_MS

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('ticks one at a time, each after the end of the one before, until it is stopped', async () => {
  let ended = Promise.withResolvers<void>()
  let ticks = 0
  const ticker = startTicker(EVERY_MS, async () => {
    ticks++
    await ended.promise
  })
  await vi.advanceTimersByTimeAsync(1_000)
  ticker.tickNow()
  expect(ticks).toBe(1)
  ended.resolve()
  ended = Promise.withResolvers()
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  expect(ticks).toBe(2)
  ticker.stop()
  ended.resolve()
  await vi.advanceTimersByTimeAsync(1_000)
  ticker.tickNow()
  expect(ticks).toBe(2)
})

test('ticks at once when asked, and then in its time', async () => {
  let ticks = 0
  const ticker = startTicker(EVERY_MS, async () => {
    ticks++
  })
  ticker.tickNow()
  expect(ticks).toBe(1)
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  expect(ticks).toBe(2)
  ticker.stop()
})

test('a tick that takes long does not put off the ones after it', async () => {
  const began: number[] = []
  const start = performance.now()
  const ticker = startTicker(EVERY_MS, async () => {
    began.push(performance.now() - start)
    await new Promise((resolve) => setTimeout(resolve, began.length === 2 ? 165 : 88))
  })
  await vi.advanceTimersByTimeAsync(6 * EVERY_MS)
  ticker.stop()
  expect(began).toEqual([1, 2, 4, 5, 6].map((n) => n * EVERY_MS))
  await vi.advanceTimersByTimeAsync(EVERY_MS)
})

test('tickers of different periods tick at the same moments, whenever they were started', async () => {
  const at: Record<string, number[]> = { often: [], seldom: [] }
  const noting = (name: string) => async () => void at[name]?.push(performance.now())
  await vi.advanceTimersByTimeAsync(130)
  const often = startTicker(OFTEN_MS, noting('often'))
  await vi.advanceTimersByTimeAsync(77)
  const seldom = startTicker(SELDOM_MS, noting('seldom'))
  await vi.advanceTimersByTimeAsync(2_000)
  for (const ticker of [often, seldom]) ticker.stop()
  expect(at.often).toHaveLength(8)
  expect(at.seldom).toHaveLength(2)
  for (const moment of at.seldom ?? []) expect(at.often).toContain(moment)
})

test('has ended once the tick under way has, and at once where there is none', async () => {
  const work = Promise.withResolvers<void>()
  const order: string[] = []
  const ticker = startTicker(EVERY_MS, async () => {
    await work.promise
    order.push('tick')
  })
  await ticker.ended()
  ticker.tickNow()
  ticker.stop()
  const ended = ticker.ended().then(() => order.push('ended'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(order).toEqual([])
  work.resolve()
  await ended
  expect(order).toEqual(['tick', 'ended'])
})
