import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inOrder } from '../src/in-order.ts'

test('results come in the order of the items, however long each takes, and no more than the width is under way', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 3 })), fc.integer({ min: 1, max: 5 }), async (tickCounts, width) => {
      let underWay = 0
      let most = 0
      const began: number[] = []
      const results = await inOrder(tickCounts, width, async (count, index) => {
        began.push(index)
        most = Math.max(most, ++underWay)
        for (let n = 0; n < count; n++) await setImmediate()
        underWay--
        return `${index}:${count}`
      })
      expect(results).toEqual(tickCounts.map((count, index) => `${index}:${count}`))
      expect(began).toEqual(tickCounts.map((_, index) => index))
      expect(most).toBeLessThanOrEqual(width)
    }),
  )
})

test('the first failure ends it, when nothing is under way any more', async () => {
  let underWay = 0
  const begun: number[] = []
  const work = inOrder([0, 1, 2, 3, 4, 5], 2, async (n) => {
    begun.push(n)
    underWay++
    await setImmediate()
    underWay--
    if (n === 1) throw new Error('no')
  })
  await expect(work).rejects.toThrow('no')
  expect(underWay).toBe(0)
  expect(begun).not.toContain(5)
})
