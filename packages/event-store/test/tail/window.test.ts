import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Slice, Window } from '../../src/tail/window.ts'
import { at, numbersOf, recordedAt, recordedRange } from '../events.fixture.ts'

const numbers = (slice: Slice | 'behind'): number[] | 'behind' => (slice === 'behind' ? slice : numbersOf(slice.events))

describe('the window at the end of the log', () => {
  test('takes what joins, and nothing behind a gap', () => {
    const window = new Window(at(10), { maxEvents: 100, maxBytes: 1e6 })
    expect(window.extend(at(10), recordedRange(11, 12), at(12))).toBe(true)
    expect(window.extend(at(13), recordedRange(14, 15), at(15))).toBe(false)
    expect(numbers(window.slice(at(10), 10))).toEqual([11, 12])
  })

  test('takes of an overlap only what is new', () => {
    const window = new Window(at(10), { maxEvents: 100, maxBytes: 1e6 })
    window.extend(at(10), recordedRange(11, 14), at(14))
    window.extend(at(12), recordedRange(13, 16), at(16))
    expect(numbers(window.slice(at(10), 10))).toEqual([11, 12, 13, 14, 15, 16])
  })

  test('stays under its bytes by forgetting the oldest, even the newest when it alone is too large', () => {
    const window = new Window(at(0), { maxEvents: 100, maxBytes: 2_000 })
    window.extend(at(0), [recordedAt(1, 'x'.repeat(900)), recordedAt(2, 'x'.repeat(900))], at(2))
    expect(numbers(window.slice(at(0), 10))).toBe('behind')
    expect(numbers(window.slice(at(1), 10))).toEqual([2])
    window.extend(at(2), [recordedAt(3, 'x'.repeat(5_000))], at(3))
    expect(numbers(window.slice(at(2), 10))).toBe('behind')
    expect(window.slice(at(3), 10)).toEqual({ events: [], to: at(3) })
  })

  test('moves past events that were left out', () => {
    const window = new Window(at(0), { maxEvents: 100, maxBytes: 1e6 })
    window.extend(at(0), [recordedAt(4)], at(9))
    expect(window.slice(at(4), 10)).toEqual({ events: [], to: at(9) })
    expect(window.extend(at(9), [recordedAt(10)], at(10))).toBe(true)
  })

  test('whatever is added and forgotten, a slice is the log from there on, or says that it is behind', () => {
    const step = fc.oneof(
      fc.record({ add: fc.integer({ min: 0, max: 40 }), overlap: fc.integer({ min: 0, max: 5 }) }),
      fc.record({ forget: fc.integer({ min: 0, max: 60 }) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 30 }), (steps, limit) => {
        const window = new Window(at(0), { maxEvents: 25, maxBytes: 1e6 })
        let end = 0
        for (const one of steps) {
          if ('add' in one) {
            const first = Math.max(0, end - one.overlap)
            window.extend(at(first), recordedRange(first + 1, end + one.add), at(end + one.add))
            end += one.add
          } else window.forget(at(Math.max(0, end - one.forget)))
          const floor = Number(window.floor.commit)
          expect(end - floor).toBeLessThanOrEqual(25)
          for (let from = Math.max(0, floor - 2); from <= end; from += 3) {
            const log = Array.from({ length: Math.min(limit, end - from) }, (_, n) => from + 1 + n)
            expect(numbers(window.slice(at(from), limit))).toEqual(from < floor ? 'behind' : log)
          }
        }
      }),
    )
  })
})
