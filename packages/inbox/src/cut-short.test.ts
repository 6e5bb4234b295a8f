import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cutShort } from './cut-short.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

test('a pause lasts its time', async () => {
  const { pause } = cutShort()
  const paused = pause(1_000).then(() => Date.now())
  const began = Date.now()
  await vi.runAllTimersAsync()
  expect((await paused) - began).toBe(1_000)
})

test('a pause that is cut ends at once, and the next one lasts', async () => {
  const { pause, cut } = cutShort()
  const first = pause(1_000)
  cut()
  await first
  const began = Date.now()
  const second = pause(500)
  await vi.runAllTimersAsync()
  await second
  expect(Date.now() - began).toBe(500)
})

test('what was cut before it began ends at once', async () => {
  const { pause, cut } = cutShort()
  const began = Date.now()
  cut()
  await pause(1_000)
  expect(Date.now()).toBe(began)
})

test('a cut that was forgotten cuts nothing', async () => {
  const { pause, cut, forget } = cutShort()
  const began = Date.now()
  cut()
  forget()
  const paused = pause(1_000)
  await vi.runAllTimersAsync()
  await paused
  expect(Date.now() - began).toBe(1_000)
})
