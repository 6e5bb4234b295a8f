import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createInterruptibleSleep } from '../src/work-loop.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A new one, and how many timers there are more than before it. */
const newSleep = () => {
  const before = vi.getTimerCount()
  return { ...createInterruptibleSleep(), timers: () => Math.max(0, vi.getTimerCount() - before) }
}

/** Whether it is over once all that needs no timer has happened. */
const isOver = async (slept: Promise<void>): Promise<boolean> => {
  let over = false
  void slept.then(() => {
    over = true
  })
  for (let tick = 0; tick < 20; tick++) await Promise.resolve()
  return over
}
/** Whether it lasts exactly so long. Nothing else of the process runs meanwhile. */
const lasts = async (slept: Promise<void>, ms: number): Promise<boolean> => {
  vi.advanceTimersByTime(ms - 1)
  const early = await isOver(slept)
  vi.advanceTimersByTime(1)
  return !early && (await isOver(slept))
}

test('a sleep lasts its time', async () => {
  const { sleep, timers } = newSleep()
  expect(await lasts(sleep(1_000), 1_000)).toBe(true)
  expect(timers()).toBe(0)
})

test('a sleep that is interrupted ends at once, and the next one lasts', async () => {
  const { sleep, interrupt, timers } = newSleep()
  const first = sleep(1_000)
  interrupt()
  expect(await isOver(first)).toBe(true)
  expect(await lasts(sleep(500), 500)).toBe(true)
  expect(timers()).toBe(0)
})

test('a sleep that was interrupted before it began ends at once', async () => {
  const { sleep, interrupt, timers } = newSleep()
  interrupt()
  expect(await isOver(sleep(1_000))).toBe(true)
  expect(timers()).toBe(0)
})

test('an interrupt before a reset ends no sleep', async () => {
  const { sleep, interrupt, reset, timers } = newSleep()
  interrupt()
  reset()
  expect(await lasts(sleep(1_000), 1_000)).toBe(true)
  expect(timers()).toBe(0)
})
