import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RoundRobin } from '../src/round-robin.ts'

const filled = (...items: readonly string[]): RoundRobin<string, string> => {
  const queue = new RoundRobin<string, string>()
  for (const item of items) queue.add(keyOf(item), item)
  return queue
}
const keyOf = (item: string): string => item.slice(0, 1)

describe('keys that take turns', () => {
  test('go one item each, in the order in which they came', () => {
    expect(filled('a1', 'a2', 'a3', 'b1', 'c1', 'c2').takeAll()).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  })

  test('keep their turn while their first item may not go', () => {
    const queue = filled('a1', 'b1', 'b2', 'c1')
    expect(queue.take((next) => next !== 'a1')).toBe('b1')
    expect(queue.take(() => false)).toBeUndefined()
    expect(queue.takeAll()).toEqual(['a1', 'c1', 'b2'])
  })

  test('come last again once they were empty', () => {
    const queue = filled('a1', 'b1')
    queue.take()
    expect(queue.has('a')).toBe(false)
    queue.add('a', 'a2')
    expect(queue.takeAll()).toEqual(['b1', 'a2'])
  })

  test('let what goes ahead go before the rest of its key alone, in its own order', () => {
    const queue = filled('a1', 'b1')
    queue.addFirst('a', 'a8')
    queue.addFirst('a', 'a9')
    expect([queue.sizeOf('a'), queue.size]).toEqual([3, 4])
    expect(queue.takeAll()).toEqual(['a8', 'b1', 'a9', 'a1'])
  })

  test('give up the last item of the longest, and none that went ahead', () => {
    const queue = filled('a1', 'b1', 'b2', 'c1')
    expect(queue.longest()).toEqual({ length: 2, last: 'b2' })
    queue.addFirst('c', 'c8')
    queue.addFirst('c', 'c9')
    expect(queue.longest()).toEqual({ length: 3, last: 'c1' })
    expect(queue.delete('c', 'c1')).toBe(true)
    expect(queue.delete('c', 'c1')).toBe(false)
    expect(new RoundRobin().longest()).toEqual({ length: 0, last: undefined })
  })

  test('whatever comes and goes, each item goes once, those of a key in order, and none waits while another key goes twice', () => {
    const step = fc.oneof(
      fc.record({ does: fc.constant('add' as const), key: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ does: fc.constant('take' as const), barred: fc.subarray(['a', 'b', 'c']) }),
      fc.record({ does: fc.constant('delete' as const), nth: fc.nat(20) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const queue = new RoundRobin<string, string>()
        let waiting: string[] = []
        // The keys that went while an item of another waited that might have gone.
        let passed = new Map<string, Set<string>>()
        for (const [n, one] of steps.entries()) {
          if (one.does === 'add') {
            queue.add(one.key, `${one.key}${n}`)
            waiting.push(`${one.key}${n}`)
          } else if (one.does === 'delete') {
            const item = waiting[one.nth]
            if (item !== undefined) expect(queue.delete(keyOf(item), item)).toBe(true)
            waiting = waiting.filter((other) => other !== item)
          } else {
            const mayGo = (item: string) => !one.barred.some((key) => key === keyOf(item))
            const taken = queue.take(mayGo)
            const ready = waiting.filter(mayGo)
            expect(taken === undefined).toBe(ready.length === 0)
            if (taken === undefined) continue
            expect(taken).toBe(waiting.find((item) => keyOf(item) === keyOf(taken)))
            for (const key of new Set(ready.map(keyOf))) {
              if (key === keyOf(taken)) continue
              const others = passed.get(key) ?? new Set()
              expect(others.has(keyOf(taken))).toBe(false)
              passed.set(key, others.add(keyOf(taken)))
            }
            passed.delete(keyOf(taken))
            waiting = waiting.filter((item) => item !== taken)
          }
          passed = new Map([...passed].filter(([key]) => waiting.some((item) => keyOf(item) === key)))
          expect(queue.size).toBe(waiting.length)
          for (const key of ['a', 'b', 'c']) expect(queue.sizeOf(key)).toBe(waiting.filter((item) => keyOf(item) === key).length)
        }
        expect([...queue.takeAll()].sort()).toEqual([...waiting].sort())
      }),
    )
  })
})
