import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sharedStatement } from '../src/shared-statement.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const asking = (ask: () => Promise<readonly string[]>, failsLate?: boolean) =>
  sharedStatement({ ask, pick: (rows, key: string) => rows.includes(key), ...(failsLate !== undefined && { failsLate }) })({})

test('an answer that is a second late counts as one without rows, or as a failure where no row means something', async () => {
  const never = () => new Promise<never>(() => undefined)
  const [passed, failed] = [asking(never)('a'), asking(never, true)('a')]
  const refused = expect(failed).rejects.toMatchObject({ message: 'the database did not answer within 1000 ms', retryable: true })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await passed).toBe(false)
  await refused
})

test('an answer in time is the same for both', async () => {
  expect(await Promise.all([asking(async () => ['a'])('a'), asking(async () => ['a'], true)('a')])).toEqual([true, true])
})
