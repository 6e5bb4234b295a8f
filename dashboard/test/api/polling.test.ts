import { expect, it } from 'vitest'
import { nextPoll, watchPresence } from '../../src/api/polling.ts'

it('stops after ten minutes without a sign, and goes on with the next', () => {
  const page = new EventTarget()
  let now = 1_000_000
  const stop = watchPresence(page, () => now)
  expect(nextPoll(2_000, now + 600_000)).toBe(2_000)
  expect(nextPoll(2_000, now + 600_001)).toBe(false)
  now += 700_000
  page.dispatchEvent(new Event('keydown'))
  expect(nextPoll(2_000, now)).toBe(2_000)
  stop()
  now += 700_000
  page.dispatchEvent(new Event('keydown'))
  expect(nextPoll(2_000, now)).toBe(false)
})
