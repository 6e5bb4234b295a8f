import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createInterruptibleSleep } from '../src/work-loop.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

test('a sleep lasts its time', async () => {
  const { sleep } = createInterruptibleSleep()
  const slept = sleep(1_000).then(() => Date.now())
  const began = Date.now()
  await vi.runAllTimersAsync()
  expect((await slept) - began).toBe(1_000)
})

test('a sleep that is interrupted ends at once, and the next one lasts', async () => {
  const { sleep, interrupt } = createInterruptibleSleep()
  const first = sleep(1_000)
  interrupt()
  await first
  const began = Date.now()
  const second = sleep(500)
  await vi.runAllTimersAsync()
  await second
  expect(Date.now() - began).toBe(500)
})

test('a sleep that was interrupted before it began ends at once', async () => {
  const { sleep, interrupt } = createInterruptibleSleep()
  const began = Date.now()
  interrupt()
  await sleep(1_000)
  expect(Date.now()).toBe(began)
})

test('an interrupt before a reset ends no sleep', async () => {
  const { sleep, interrupt, reset } = createInterruptibleSleep()
  const began = Date.now()
  interrupt()
  reset()
  const slept = sleep(1_000)
  await vi.runAllTimersAsync()
  await slept
  expect(Date.now() - began).toBe(1_000)
})
