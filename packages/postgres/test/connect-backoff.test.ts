import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createConnectBackoff } from '../src/connect-backoff.ts'

/** A backoff whose delays are recorded, and end when `pass` is called. */
const recordedBackoff = () => {
  const waits: number[] = []
  let go = Promise.withResolvers<void>()
  const connect = createConnectBackoff((ms) => {
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
  return { connect, open, pass, waits, attempts: () => attempts }
}

test('attempts run in parallel while they succeed', async () => {
  const { connect, open, waits } = recordedBackoff()
  expect(await Promise.all([1, 2, 3].map(() => connect(open(false))))).toEqual([1, 2, 3])
  expect(waits).toEqual([])
})

test('after a failure there is one attempt at a time, with delays that grow up to half a second', async () => {
  const { connect, open, pass, waits, attempts } = recordedBackoff()
  await connect(open(true)).catch(() => undefined)
  for (let round = 0; round < 8; round++) {
    await setImmediate()
    const before = attempts()
    const asked = Promise.allSettled(Array.from({ length: 100 }, () => connect(open(true))))
    pass()
    for (const outcome of await asked) expect(outcome).toMatchObject({ reason: { message: `away ${before + 1}` } })
  }
  expect(attempts()).toBe(9)
  expect(waits).toEqual([50, 100, 200, 400, 500, 500, 500, 500])
})

test('a call queued behind a failure shares it', async () => {
  const { connect, open, attempts } = recordedBackoff()
  const first = connect(open(true))
  const second = first.catch(() => connect(open(true)))
  const third = second.catch(() => connect(open(false)))
  await expect(third).rejects.toThrow('away 1')
  expect(attempts()).toBe(1)
})

test('after a success all waiting calls open, and later ones have no delay', async () => {
  const { connect, open, pass, waits } = recordedBackoff()
  await Promise.allSettled([connect(open(true)), connect(open(true))])
  await setImmediate()
  const asked = Promise.all([1, 2, 3].map(() => connect(open(false))))
  pass()
  expect((await asked).toSorted()).toEqual([3, 4, 5])
  await connect(open(false))
  expect(waits).toEqual([50])
})
