import { afterEach, describe, expect, it, vi } from 'vitest'
import { afterRunning } from '../src/after-running.ts'

describe('what comes after a time of running', () => {
  afterEach(() => void vi.useRealTimers())

  it('comes once, and no sooner', () => {
    vi.useFakeTimers()
    const then = vi.fn()
    afterRunning(10_000, then)
    vi.advanceTimersByTime(9_999)
    expect(then).not.toHaveBeenCalled()
    vi.advanceTimersByTime(100_000)
    expect(then).toHaveBeenCalledOnce()
  })

  it('is put off by as long as the process stands still', async () => {
    const then = vi.fn()
    afterRunning(300, then)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
    // Timers that are due run between the two, each once.
    for (const _ of [1, 2]) await new Promise(setImmediate)
    expect(then).not.toHaveBeenCalled()
    await expect.poll(() => then.mock.calls.length).toBe(1)
  })
})
