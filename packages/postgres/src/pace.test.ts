import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createPace } from './pace.ts'

/** A pace whose waits are written down and let go by hand. */
const paced = () => {
  const waits: number[] = []
  let go = Promise.withResolvers<void>()
  const pace = createPace((ms) => {
    waits.push(ms)
    return go.promise
  })
  let attempts = 0
  const open = (away: boolean) => async () => {
    attempts++
    if (away) throw new Error(`away ${attempts}`)
    return attempts
  }
  const pass = () => {
    go.resolve()
    go = Promise.withResolvers()
  }
  return { pace, open, pass, waits, attempts: () => attempts }
}

test('what answers is opened for everybody at once', async () => {
  const { pace, open, waits } = paced()
  expect(await Promise.all([1, 2, 3].map(() => pace(open(false))))).toEqual([1, 2, 3])
  expect(waits).toEqual([])
})

test('what is away costs one attempt at a time, however many ask, with waits that grow up to half a second', async () => {
  const { pace, open, pass, waits, attempts } = paced()
  await pace(open(true)).catch(() => undefined)
  for (let round = 0; round < 8; round++) {
    await setImmediate()
    const before = attempts()
    const asked = Promise.allSettled(Array.from({ length: 100 }, () => pace(open(true))))
    pass()
    for (const outcome of await asked) expect(outcome).toMatchObject({ reason: { message: `away ${before + 1}` } })
  }
  expect(attempts()).toBe(9)
  expect(waits).toEqual([50, 100, 200, 400, 500, 500, 500, 500])
})

test('whoever has stood in a queue behind a failure shares it', async () => {
  const { pace, open, attempts } = paced()
  const first = pace(open(true))
  const second = first.catch(() => pace(open(true)))
  const third = second.catch(() => pace(open(false)))
  await expect(third).rejects.toThrow('away 1')
  expect(attempts()).toBe(1)
})

test('what is back is opened for all who waited, and without waits from then on', async () => {
  const { pace, open, pass, waits } = paced()
  await Promise.allSettled([pace(open(true)), pace(open(true))])
  await setImmediate()
  const asked = Promise.all([1, 2, 3].map(() => pace(open(false))))
  pass()
  expect((await asked).toSorted()).toEqual([3, 4, 5])
  await pace(open(false))
  expect(waits).toEqual([50])
})
