import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { shareFor } from './share-for.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('makes one value for all that ask while it is made, and for a second after', async () => {
  let made = 0
  const share = shareFor(1_000, async () => ++made)
  expect(await Promise.all([share(), share(), share()])).toEqual([1, 1, 1])
  await vi.advanceTimersByTimeAsync(999)
  expect(await share()).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(await share()).toBe(2)
})

it('keeps no failure', async () => {
  const answers = [Promise.reject(new Error('away')), Promise.resolve('here')]
  const share = shareFor(1_000, async () => await answers.shift())
  await expect(share()).rejects.toThrow('away')
  expect(await share()).toBe('here')
})
