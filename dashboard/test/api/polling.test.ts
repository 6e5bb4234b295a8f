import { expect, it } from 'vitest'
import { ApiProblem } from '../../src/api/client.ts'
import { askAgainMs, isDeserted, isTemporary, nextPoll, watchPresence } from '../../src/api/polling.ts'

const problem = (status: number, retryAfterMs: number | null = null) => new ApiProblem({ status, message: 'no', retryAfterMs })

it('stops after ten minutes without a sign, and goes on with the next', () => {
  const page = new EventTarget()
  let now = 1_000_000
  const stop = watchPresence(page, () => now)
  expect(isDeserted(now + 600_000)).toBe(false)
  expect(isDeserted(now + 600_001)).toBe(true)
  now += 700_000
  page.dispatchEvent(new Event('keydown'))
  expect(isDeserted(now)).toBe(false)
  stop()
  now += 700_000
  page.dispatchEvent(new Event('keydown'))
  expect(isDeserted(now)).toBe(true)
})

it('polls on after a refusal, and leaves the rest to the delays after a failure', () => {
  watchPresence(new EventTarget())()
  expect([null, problem(404), problem(500), problem(503), problem(0)].map((error) => nextPoll(2_000, { error }))).toEqual([
    ...[2_000, 2_000, 2_000, false, false],
  ])
  expect(isTemporary(new Error('of the page itself'))).toBe(false)
})

it.each([
  [problem(503), 1, 0, 2_000],
  [problem(503), 3, 0, 8_000],
  [problem(503), 3, 1, 12_000],
  [problem(503), 2_000, 0, 60_000],
  [problem(503, 90_000), 1, 0, 90_000],
  // A date far ahead, as of a clock that is wrong.
  [problem(503, 9e15), 1, 0, 3_600_000],
])('waits longer with each failure, and as long as the service wants: %#', (error, failures, random, expected) => {
  expect(askAgainMs(error, failures, random)).toBe(expected)
})
