import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AdaptiveRate } from '../../src/throttle/adaptive-rate.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const SECOND = 1_000

/** A server that takes so many in each second of its own, and a sender that asks as fast as its rate allows, for so long. */
function run(rate: AdaptiveRate, perSecond: (second: number) => number, seconds: number) {
  const taken: number[] = []
  const refused: number[] = []
  for (let ms = 0; ms < seconds * SECOND; ms += 5) {
    const second = Math.floor(ms / SECOND)
    for (let burst = 0; burst < 20 && rate.nextAt() <= performance.now(); burst++) {
      const sentAt = performance.now()
      rate.take()
      if ((taken[second] ?? 0) < perSecond(second)) {
        taken[second] = (taken[second] ?? 0) + 1
        rate.accepted()
      } else {
        refused[second] = (refused[second] ?? 0) + 1
        rate.refused(sentAt)
      }
    }
    vi.advanceTimersByTime(5)
  }
  const sum = (counts: readonly (number | undefined)[]): number => counts.reduce<number>((all, count) => all + (count ?? 0), 0)
  return { taken: sum(taken), refused: sum(refused), lastSecond: taken.at(-1) ?? 0 }
}

describe('the rate of sending', () => {
  test('has no limit until something is refused', () => {
    const { taken, refused } = run(new AdaptiveRate(), () => Number.POSITIVE_INFINITY, 1)
    expect([taken, refused]).toEqual([4_000, 0])
  })

  test.each([5, 14, 100])('finds that a server takes %i a second, and keeps close to it with few refusals', (perSecond) => {
    const { taken, refused } = run(new AdaptiveRate(), () => perSecond, 150)
    expect(taken).toBeGreaterThan(0.85 * perSecond * 150)
    expect(refused).toBeLessThan(0.03 * taken + 60)
  })

  test('follows a server that takes fewer, and one that takes more again', () => {
    const rate = new AdaptiveRate()
    run(rate, () => 100, 20)
    const slow = run(rate, () => 5, 60)
    expect(slow.taken).toBeGreaterThan(0.7 * 5 * 60)
    expect(slow.refused).toBeLessThan(100)
    expect(run(rate, () => 200, 60).lastSecond).toBeGreaterThan(150)
  })

  test('asks once in two seconds while nothing is taken, and recovers by itself', () => {
    const rate = new AdaptiveRate()
    run(rate, () => 0, 20)
    expect(run(rate, () => 0, 60).refused).toBe(30)
    run(rate, () => 50, 60)
    expect(run(rate, () => 50, 10).taken).toBeGreaterThan(300)
  })

  test('counts the refusals of what had left before a decrease once', () => {
    const rate = new AdaptiveRate()
    for (let n = 0; n < 100; n++) rate.accepted()
    const sentAt = performance.now()
    vi.advanceTimersByTime(10)
    for (let n = 0; n < 20; n++) rate.refused(sentAt)
    expect(rate.nextAt() - performance.now()).toBeCloseTo(50)
    vi.advanceTimersByTime(50)
    rate.take()
    expect(rate.nextAt() - performance.now()).toBeCloseTo(1_000 / 90)
  })

  test('forgets a limit that nothing has met for two minutes', () => {
    const rate = new AdaptiveRate()
    rate.refused(performance.now())
    vi.advanceTimersByTime(119_000)
    expect(rate.isLimited()).toBe(true)
    vi.advanceTimersByTime(2_000)
    expect([rate.isLimited(), rate.nextAt()]).toEqual([false, 0])
  })
})
