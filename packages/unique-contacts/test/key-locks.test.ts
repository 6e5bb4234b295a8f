import { setImmediate } from 'node:timers/promises'
import { Busy } from '@tidings/commands'
import { Unavailable } from '@tidings/event-store'
import { describe, expect, it } from 'vitest'
import { createKeyLocks } from '../src/key-locks.ts'

/** Work that ends as the test says; `runs` counts how often it began. */
const gated = () => {
  const gate = Promise.withResolvers<string>()
  const counts = { runs: 0 }
  const work = () => {
    counts.runs++
    return gate.promise
  }
  return { gate, counts, work }
}

describe('key locks', () => {
  it('run one work at a time for a key, in the order in which they were asked', async () => {
    const locked = createKeyLocks(10)
    const order: number[] = []
    await Promise.all([1, 2, 3].map((n) => locked(['a'], async () => order.push(n))))
    expect(order).toEqual([1, 2, 3])
  })

  it.each([
    ['an outage', () => new Unavailable('the store is away'), 1],
    ['a contended address', () => new Busy('contended'), 3],
    ['a refusal', () => new Error('no'), 3],
  ])('of %s tell those who wait, where it concerns them', async (_what, failure, runs) => {
    const locked = createKeyLocks(10)
    const { gate, counts, work } = gated()
    const asked = Promise.allSettled([locked(['a'], work), locked(['a', 'b'], work), locked(['a'], work)])
    await setImmediate()
    expect(counts.runs).toBe(1)
    gate.reject(failure())
    expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(counts.runs).toBe(runs)
    // The locks are free again.
    expect(await locked(['a', 'b'], async () => 'done')).toBe('done')
  })

  it('free what was taken by one who waited for another key', async () => {
    const locked = createKeyLocks(10)
    const { gate, work } = gated()
    const asked = Promise.allSettled([locked(['b'], work), locked(['a', 'b'], async () => 'never'), locked(['a'], async () => 'never')])
    await setImmediate()
    gate.reject(new Unavailable('the store is away'))
    expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(await locked(['a', 'b'], async () => 'done')).toBe('done')
  })
})
