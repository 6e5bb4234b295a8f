import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Pace } from './pace.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const SECOND = 1_000

/** A server that takes so many in each second of its own, and a sender that asks as fast as its pace allows, for so long. */
function run(pace: Pace, perSecond: (second: number) => number, seconds: number) {
  const taken: number[] = []
  const refused: number[] = []
  for (let ms = 0; ms < seconds * SECOND; ms += 5) {
    const second = Math.floor(ms / SECOND)
    for (let burst = 0; burst < 20 && pace.nextAt() <= performance.now(); burst++) {
      const sentAt = performance.now()
      pace.take()
      if ((taken[second] ?? 0) < perSecond(second)) {
        taken[second] = (taken[second] ?? 0) + 1
        pace.accepted()
      } else {
        refused[second] = (refused[second] ?? 0) + 1
        pace.refused(sentAt)
      }
    }
    vi.advanceTimersByTime(5)
  }
  const sum = (counts: readonly (number | undefined)[]): number => counts.reduce<number>((all, count) => all + (count ?? 0), 0)
  return { taken: sum(taken), refused: sum(refused), lastSecond: taken.at(-1) ?? 0 }
}

describe('the pace of sending', () => {
  test('has no limit until something is refused', () => {
    const { taken, refused } = run(new Pace(), () => Number.POSITIVE_INFINITY, 1)
    expect([taken, refused]).toEqual([4_000, 0])
  })

  test.each([5, 14, 100])('finds that a server takes %i a second, and keeps close to it with few refusals', (rate) => {
    const { taken, refused } = run(new Pace(), () => rate, 150)
    expect(taken).toBeGreaterThan(0.85 * rate * 150)
    expect(refused).toBeLessThan(0.03 * taken + 60)
  })

  test('follows a server that takes fewer, and one that takes more again', () => {
    const pace = new Pace()
    run(pace, () => 100, 20)
    const slow = run(pace, () => 5, 60)
    expect(slow.taken).toBeGreaterThan(0.7 * 5 * 60)
    expect(slow.refused).toBeLessThan(100)
    expect(run(pace, () => 200, 60).lastSecond).toBeGreaterThan(150)
  })

  test('asks once in two seconds while nothing is taken, and recovers by itself', () => {
    const pace = new Pace()
    run(pace, () => 0, 20)
    expect(run(pace, () => 0, 60).refused).toBe(30)
    run(pace, () => 50, 60)
    expect(run(pace, () => 50, 10).taken).toBeGreaterThan(300)
  })

  test('counts the refusals of what had left before a decrease once', () => {
    const pace = new Pace()
    for (let n = 0; n < 100; n++) pace.accepted()
    const sentAt = performance.now()
    vi.advanceTimersByTime(10)
    for (let n = 0; n < 20; n++) pace.refused(sentAt)
    expect(pace.nextAt() - performance.now()).toBeCloseTo(50)
    vi.advanceTimersByTime(50)
    pace.take()
    expect(pace.nextAt() - performance.now()).toBeCloseTo(1_000 / 90)
  })

  test('forgets a limit that nothing has met for two minutes', () => {
    const pace = new Pace()
    pace.refused(performance.now())
    vi.advanceTimersByTime(119_000)
    expect(pace.isLimited()).toBe(true)
    vi.advanceTimersByTime(2_000)
    expect([pace.isLimited(), pace.nextAt()]).toEqual([false, 0])
  })
})
