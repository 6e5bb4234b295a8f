import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { retryWarnings } from './retry-warnings.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('the first repetition is reported at once, those of the second after it together', () => {
  const reports: unknown[] = []
  const warn = retryWarnings((report) => reports.push(report))
  warn('busy')
  warn('busy')
  warn('silent')
  expect(reports).toEqual([{ reason: 'busy', repeated: 1 }])
  vi.advanceTimersByTime(1_000)
  warn('gone')
  expect(reports.slice(1)).toEqual([{ reason: 'gone', repeated: 3 }])
})
