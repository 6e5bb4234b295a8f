import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSendRate, type SendRate } from './send-rate.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const signal = new AbortController().signal

/** One row, as in the database, on the clock of the test. */
const oneRow = () => {
  let next = 0
  return async (count: number, everyUs: number): Promise<number> => {
    const first = Math.max(next, performance.now() * 1_000)
    next = first + count * everyUs
    return first - performance.now() * 1_000
  }
}

const sendMany = (rate: SendRate, count: number, first = false): readonly number[] => {
  const at: number[] = []
  const started = performance.now()
  for (let n = 0; n < count; n++) void rate.wait({ signal, first }).then(() => at.push(Math.round(performance.now() - started)))
  return at
}

describe('the rate of sending', () => {
  test('spreads a burst, one message after the other', async () => {
    const at = sendMany(createSendRate({ perSecond: 10, reserve: oneRow() }), 21)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(at).toEqual(Array.from({ length: 21 }, (_, n) => n * 100))
  })

  test('is that of both processes together', async () => {
    const reserve = oneRow()
    const processes = [1, 2].map(() => sendMany(createSendRate({ perSecond: 100, reserve }), 150))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(processes.flat().length).toBeLessThanOrEqual(101)
    await vi.advanceTimersByTimeAsync(2_100)
    expect(processes.flat().length).toBe(300)
  })

  test('lets a passcode go before what waits, as soon as the next message may go', async () => {
    const rate = createSendRate({ perSecond: 10, reserve: oneRow() })
    const bulk = sendMany(rate, 50)
    await vi.advanceTimersByTimeAsync(1_050)
    const passcode = sendMany(rate, 1, true)
    await vi.advanceTimersByTimeAsync(50)
    expect(passcode).toEqual([50])
    expect(bulk.length).toBe(11)
  })

  test('gives the time of a message that was stopped to the next one', async () => {
    const rate = createSendRate({ perSecond: 1, reserve: oneRow() })
    sendMany(rate, 1)
    const stop = new AbortController()
    const stopped = rate.wait({ signal: stop.signal, first: false })
    const next = sendMany(rate, 1)
    stop.abort()
    await expect(stopped).rejects.toMatchObject({ failure: 'outage' })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(next).toEqual([1_000])
  })

  test('uses no time that passed without a message', async () => {
    const reserve = vi.fn(oneRow())
    const rate = createSendRate({ perSecond: 100, reserve })
    const stop = new AbortController()
    const waits = Array.from({ length: 20 }, () => rate.wait({ signal: stop.signal, first: false }).catch(() => undefined))
    await vi.advanceTimersByTimeAsync(1)
    stop.abort()
    await Promise.all(waits)
    await vi.advanceTimersByTimeAsync(10_000)
    const at = sendMany(rate, 5)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(at).toEqual([0, 10, 20, 30, 40])
  })

  test('reserves as many as wait, a quarter of a second’s worth at most', async () => {
    const reserve = vi.fn(oneRow())
    const rate = createSendRate({ perSecond: 40, reserve })
    sendMany(rate, 25)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(reserve.mock.calls.map(([count]) => count)).toEqual([1, 10, 10, 4])
  })

  test('lets nothing go while the database is away, and goes on afterwards', async () => {
    const reserve = vi.fn(oneRow())
    const rate = createSendRate({ perSecond: 10, reserve })
    reserve.mockRejectedValueOnce(new Error('the database is away'))
    const outage = { failure: 'outage', message: 'The rate of sending cannot be kept: the database is away' }
    await expect(rate.wait({ signal, first: true })).rejects.toMatchObject(outage)
    await expect(rate.wait({ signal, first: true })).resolves.toBeUndefined()
  })

  test('lets nothing wait that is stopped already', async () => {
    const rate = createSendRate({ perSecond: 10, reserve: oneRow() })
    await expect(rate.wait({ signal: AbortSignal.abort(), first: false })).rejects.toMatchObject({ failure: 'outage' })
  })
})
