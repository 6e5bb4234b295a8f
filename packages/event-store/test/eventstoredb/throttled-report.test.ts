import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createThrottledReport } from '../../src/eventstoredb/eventstoredb-store.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('the first is reported at once, those of the second after it together', () => {
  const reports: unknown[] = []
  const warn = createThrottledReport((report) => reports.push(report))
  warn('busy')
  warn('busy')
  warn('silent')
  expect(reports).toEqual([{ reason: 'busy', times: 1 }])
  vi.advanceTimersByTime(1_000)
  warn('gone')
  expect(reports.slice(1)).toEqual([{ reason: 'gone', times: 3 }])
})
