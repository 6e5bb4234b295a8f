import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createGenerations } from '../src/generations.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const AGE_MS = 100
const step = fc.oneof(
  fc.record({ what: fc.constantFrom('set', 'get', 'take'), key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), n: fc.nat(9) }),
  fc.record({ what: fc.constant('wait'), key: fc.constant(''), n: fc.nat(120) }),
)

test('a value comes back as it was last set, once where it is taken, within its age and the limits', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 2, max: 8 }), (steps, maxEntries) => {
      const timers = vi.getTimerCount()
      const values = createGenerations<number>({ maxBytes: 20, maxEntries, ageMs: AGE_MS, sizeOf: (size) => size })
      const set = new Map<string, Readonly<{ n: number; at: number }>>()
      for (const { what, key, n } of steps) {
        if (what === 'wait') vi.advanceTimersByTime(n)
        else if (what === 'set') {
          values.set(key, n)
          set.set(key, { n, at: Date.now() })
          expect(values.get(key)).toBe(n)
        } else {
          const found = what === 'get' ? values.get(key) : values.take(key)
          const known = set.get(key)
          if (found !== undefined) expect([found, Date.now() - (known?.at ?? 0) <= 2 * AGE_MS]).toEqual([known?.n, true])
          if (what === 'take') set.delete(key)
        }
        const held = ['a', 'b', 'c', 'd', 'e'].flatMap((name) => values.get(name) ?? [])
        expect(held.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(20)
        expect(held.length).toBeLessThanOrEqual(maxEntries + 1)
      }
      vi.advanceTimersByTime(2 * AGE_MS)
      expect(['a', 'b', 'c', 'd', 'e'].flatMap((name) => values.get(name) ?? [])).toEqual([])
      expect(vi.getTimerCount()).toBeLessThanOrEqual(timers)
    }),
    { numRuns: 500 },
  )
})

test('one that takes more than half of the limit is not kept, and what was there is gone', () => {
  const values = createGenerations<number>({ maxBytes: 20, ageMs: AGE_MS, sizeOf: (size) => size })
  values.set('a', 5)
  values.set('a', 11)
  expect(values.get('a')).toBeUndefined()
})

test('after a stop of the process a value is gone by the clock, before a timer has fired', () => {
  const timers = vi.getTimerCount()
  const values = createGenerations<number>({ maxBytes: 20, ageMs: AGE_MS, sizeOf: (size) => size })
  values.set('a', 5)
  values.set('b', 5)
  const stopped = performance.now() + 2 * AGE_MS
  vi.spyOn(performance, 'now').mockImplementation(() => stopped)
  expect([values.get('a'), values.take('b'), vi.getTimerCount() - timers]).toEqual([undefined, undefined, 1])
  values.set('c', 5)
  expect([values.get('a'), values.get('c')]).toEqual([undefined, 5])
})

test('a rotation that comes late drops what is over, and does not keep it for another age', () => {
  const timers = vi.getTimerCount()
  const values = createGenerations<object>({ maxBytes: 20, ageMs: AGE_MS, sizeOf: () => 1 })
  values.set('a', {})
  const began = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => began + 2 * AGE_MS)
  vi.advanceTimersByTime(AGE_MS)
  clock.mockImplementation(() => began)
  expect([values.get('a'), vi.getTimerCount() <= timers]).toEqual([undefined, true])
})

test('one whose size is no number is not kept', () => {
  const values = createGenerations<number>({ maxBytes: 20, ageMs: AGE_MS, sizeOf: (size) => size })
  values.set('a', Number.NaN)
  expect(values.get('a')).toBeUndefined()
  for (let n = 0; n < 100; n++) values.set(String(n), 5)
  expect(Array.from({ length: 100 }, (_, n) => values.get(String(n)) ?? 0).reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(20)
})
