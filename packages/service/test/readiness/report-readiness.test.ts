import { logTo } from '@tidings/observability/log'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { explainChecks, reportReadiness } from '../../src/readiness/report-readiness.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Tickers of one period share a timer of their process: what other files left has none of this period. */
const EVERY_MS = 1_110
const full = Object.assign(new Error('could not extend file "base/1": No space left on device'), { code: '53100' })

const reporting = () => {
  const lines: Record<string, unknown>[] = []
  let fault: Error | null = null
  const check = async (): Promise<void> => {
    if (fault !== null) throw fault
  }
  const log = logTo({ write: (line: string) => void lines.push(JSON.parse(line)) }, 'info')
  const { stop } = reportReadiness({ checks: explainChecks({ database: check }), log, everyMs: EVERY_MS })
  const look = () => vi.advanceTimersByTimeAsync(EVERY_MS)
  return {
    lines,
    stop,
    look,
    fail: async (error: Error | null) => {
      fault = error
      await look()
    },
  }
}

test('what is not ready is one error line however long it lasts, another reason another one, and its end one more', async () => {
  const { lines, fail, look, stop } = reporting()
  await look()
  expect(lines).toEqual([])
  await fail(full)
  await look()
  expect(lines).toMatchObject([
    { level: 'error', msg: expect.stringMatching(/^not ready: database: the disk is full \(.*\)\. Make room on it/) },
  ])
  await fail(new Error('the event log has not been heard for 3 seconds'))
  await fail(new Error('the event log has not been heard for 4 seconds'))
  expect(lines).toHaveLength(2)
  await fail(null)
  await look()
  expect(lines.slice(2)).toMatchObject([{ level: 'info', msg: expect.stringContaining('ready again') }])
  await stop()
})

test('a start is said nothing of for a minute, and what it lacks then', async () => {
  const quick = reporting()
  await quick.fail(full)
  await quick.fail(null)
  expect(quick.lines).toEqual([])
  await quick.fail(full)
  expect(quick.lines).toHaveLength(1)
  await quick.stop()

  const slow = reporting()
  for (let n = 1; n <= 5; n++) await slow.fail(full)
  expect(slow.lines).toEqual([])
  await slow.look()
  expect(slow.lines).toMatchObject([{ level: 'error', msg: expect.stringContaining('the disk is full') }])
  await slow.stop()
})

test('nothing is said of a process that stops', async () => {
  const { lines, fail, stop } = reporting()
  await stop()
  await fail(full)
  expect(lines).toEqual([])
})
