import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startTicker } from '../src/ticker.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('ticks one at a time, each after the end of the one before, until it is stopped', async () => {
  let ended = Promise.withResolvers<void>()
  let ticks = 0
  const ticker = startTicker(100, async () => {
    ticks++
    await ended.promise
  })
  await vi.advanceTimersByTimeAsync(1_000)
  ticker.tickNow()
  expect(ticks).toBe(1)
  ended.resolve()
  ended = Promise.withResolvers()
  await vi.advanceTimersByTimeAsync(100)
  expect(ticks).toBe(2)
  ticker.stop()
  ended.resolve()
  await vi.advanceTimersByTimeAsync(1_000)
  ticker.tickNow()
  expect(ticks).toBe(2)
})

test('ticks at once when asked, and then in its time', async () => {
  let ticks = 0
  const ticker = startTicker(100, async () => {
    ticks++
  })
  ticker.tickNow()
  expect(ticks).toBe(1)
  await vi.advanceTimersByTimeAsync(100)
  expect(ticks).toBe(2)
  ticker.stop()
})

test('a tick that takes long does not put off the ones after it', async () => {
  const began: number[] = []
  const start = performance.now()
  const ticker = startTicker(100, async () => {
    began.push(performance.now() - start)
    await new Promise((resolve) => setTimeout(resolve, began.length === 2 ? 150 : 80))
  })
  await vi.advanceTimersByTimeAsync(600)
  ticker.stop()
  expect(began).toEqual([100, 200, 400, 500, 600])
  await vi.advanceTimersByTimeAsync(100)
})

test('tickers of different periods tick at the same moments, whenever they were started', async () => {
  const at: Record<string, number[]> = { often: [], seldom: [] }
  const noting = (name: string) => async () => void at[name]?.push(performance.now())
  await vi.advanceTimersByTimeAsync(130)
  const often = startTicker(250, noting('often'))
  await vi.advanceTimersByTimeAsync(77)
  const seldom = startTicker(1_000, noting('seldom'))
  await vi.advanceTimersByTimeAsync(2_000)
  for (const ticker of [often, seldom]) ticker.stop()
  expect(at.often).toHaveLength(8)
  expect(at.seldom).toHaveLength(2)
  for (const moment of at.seldom ?? []) expect(at.often).toContain(moment)
})
