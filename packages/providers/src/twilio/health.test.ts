import { expect, test } from 'vitest'
import { createHealth } from './health.ts'
import type { Outcome } from './read-answer.ts'

const limited: Outcome = { failure: 'rate limit', response: 'HTTP 429', waitMs: null, status: 429, isByCode: false }

/** A health whose queue is paused until `resume`, and the pauses that began. */
const watched = () => {
  const pauses: number[] = []
  let isPaused = false
  const queue = {
    run: () => Promise.reject(new Error('nothing runs here')),
    grow: () => undefined,
    close: async () => undefined,
    pause: (ms: number) => {
      if (isPaused) return false
      isPaused = true
      pauses.push(ms)
      return true
    },
  }
  const health = createHealth({ outage: { reason: () => null, begin: () => undefined }, queue })
  const resume = () => {
    isPaused = false
  }
  return { health, pauses, resume }
}

test('the pauses of a rate limit double, however many calls each of them refuses', () => {
  const { health, pauses, resume } = watched()
  for (let pause = 0; pause < 7; pause++) {
    for (let call = 0; call < 20; call++) health.record(limited)
    resume()
  }
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  health.record({ failure: null, sid: 'SM1' })
  health.record(limited)
  expect(pauses.at(-1)).toBe(1_000)
})
