import { quietUntil } from '@tidings/domain'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { quietNow } from './quiet-now.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const HOUR_MS = 3_600_000
const SECOND_MS = 1_000

test.each(['2028-02-29', '2026-10-31', '2026-12-31', '2026-03-29'])(
  'it is quiet from any second of %s on, for five hours at least',
  (day) => {
    const midnight = Date.parse(`${day}T00:00:00.000Z`)
    for (let at = midnight + 999; at < midnight + 24 * HOUR_MS; at += 7 * SECOND_MS) {
      vi.setSystemTime(at)
      const rules = quietNow()
      expect((quietUntil(at, rules, [null]) ?? at) - at).toBeGreaterThanOrEqual(5 * HOUR_MS)
      expect(quietUntil(at, rules, ['Etc/GMT+12'])).toBeNull()
    }
  },
)
