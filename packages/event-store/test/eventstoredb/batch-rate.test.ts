import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createBatchRate } from '../../src/eventstoredb/all-subscription.ts'

const rounds = async (): Promise<void> => {
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve))
}

/** Whether it has resolved without the clock moving. */
const isThrough = async (waiting: Promise<void>): Promise<boolean> => {
  let through = false
  void waiting.then(() => {
    through = true
  })
  await rounds()
  return through
}

describe('the rate of batches', () => {
  const { signal } = new AbortController()

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('lets the first through at once, and the first after silence', async () => {
    const rate = createBatchRate(25)
    expect(await isThrough(rate.next(signal))).toBe(true)
    rate.passed(1)
    vi.advanceTimersByTime(5)
    expect(await isThrough(rate.next(signal))).toBe(true)
  })

  test.each([
    [1, 5],
    [3, 15],
    [5, 25],
    [2_000, 25],
  ])('after %i events holds the next for %i ms', async (events, ms) => {
    const rate = createBatchRate(25)
    rate.passed(events)
    const next = rate.next(signal)
    await rounds()
    vi.advanceTimersByTime(ms - 1)
    expect(await isThrough(next)).toBe(false)
    vi.advanceTimersByTime(1)
    expect(await isThrough(next)).toBe(true)
  })

  test('ends its wait when the signal aborts', async () => {
    const rate = createBatchRate(25)
    const aborting = new AbortController()
    rate.passed(1)
    const next = rate.next(aborting.signal)
    expect(await isThrough(next)).toBe(false)
    aborting.abort()
    expect(await isThrough(next)).toBe(true)
  })
})
