import { asWorkspaceId } from '@tidings/domain'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Priority } from '../../src/port.ts'
import { createSendRate, type SendRate } from '../../src/rate/send-rate.ts'
import { withToken } from '../../src/rate/with-token.ts'

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

/** Waits for the time, even if it is there at once. */
const take = async (rate: SendRate, changes: Partial<Parameters<SendRate['take']>[0]> = {}): Promise<void> =>
  await rate.take({ signal, workspaceId: asWorkspaceId('a'), priority: 'marketing', ...changes })

const sendMany = (rate: SendRate, count: number, priority: Priority = 'marketing', workspaceId = asWorkspaceId('a')): readonly number[] => {
  const at: number[] = []
  const started = performance.now()
  for (let n = 0; n < count; n++) void take(rate, { priority, workspaceId }).then(() => at.push(Math.round(performance.now() - started)))
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
    const passcode = sendMany(rate, 1, 'passcode')
    await vi.advanceTimersByTimeAsync(50)
    expect(passcode).toEqual([50])
    expect(bulk.length).toBe(11)
  })

  test('lets one of each workspace go in turn, transactional messages before marketing, decided when the token is free', async () => {
    const rate = createSendRate({ perSecond: 10, reserve: oneRow() })
    const backlog = sendMany(rate, 2_000)
    await vi.advanceTimersByTimeAsync(150)
    const [other, order] = [sendMany(rate, 2, 'marketing', asWorkspaceId('b')), sendMany(rate, 1, 'transactional', asWorkspaceId('c'))]
    await vi.advanceTimersByTimeAsync(500)
    expect([order, other]).toEqual([[50], [250, 450]])
    expect(backlog).toEqual([0, 100, 300, 500])
  })

  test('a token of a message whose fence rejects goes to the next one', async () => {
    const rate = createSendRate({ perSecond: 1, reserve: oneRow() })
    await rate.take({ signal, workspaceId: asWorkspaceId('a'), priority: 'marketing' })
    const closed = new Error('the campaign was cancelled')
    const options = { signal, priority: 'marketing' as const, fence: () => Promise.reject(closed) }
    const refused = Promise.resolve(withToken(rate, { workspaceId: asWorkspaceId('a') }, options).fence()).catch((error: unknown) => error)
    const next = sendMany(rate, 2)
    await vi.advanceTimersByTimeAsync(1_000)
    expect([await refused, next]).toEqual([closed, [1_000]])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(next).toEqual([1_000, 2_000])
  })

  test('a message has one token until it is handed over, however often its fence is asked', async () => {
    const tokens = { take: vi.fn(() => undefined), giveBack: vi.fn() }
    const { fence, handedOver } = withToken(
      tokens,
      { workspaceId: asWorkspaceId('a') },
      { signal, priority: 'marketing', fence: () => undefined },
    )
    await fence()
    await fence()
    expect(tokens.take).toHaveBeenCalledTimes(1)
    handedOver?.()
    await fence()
    expect([tokens.take.mock.calls.length, tokens.giveBack.mock.calls.length]).toEqual([2, 0])
  })

  test('gives the time of a message that was stopped to the next one', async () => {
    const rate = createSendRate({ perSecond: 1, reserve: oneRow() })
    sendMany(rate, 1)
    const stop = new AbortController()
    const stopped = take(rate, { signal: stop.signal })
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
    const waits = Array.from({ length: 20 }, () => take(rate, { signal: stop.signal }).catch(() => undefined))
    await vi.advanceTimersByTimeAsync(1)
    stop.abort()
    await Promise.all(waits)
    await vi.advanceTimersByTimeAsync(10_000)
    const at = sendMany(rate, 5)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(at).toEqual([0, 10, 20, 30, 40])
  })

  test('uses one of the times that a stall of the process let pass, so that it goes on', async () => {
    const reserve = vi.fn(async () => -400_000)
    const at = sendMany(createSendRate({ perSecond: 10, reserve }), 6)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(at).toHaveLength(6)
    expect(reserve.mock.calls.length).toBeLessThanOrEqual(6)
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
    await expect(take(rate, { priority: 'passcode' })).rejects.toMatchObject(outage)
    await expect(take(rate, { priority: 'passcode' })).resolves.toBeUndefined()
  })

  test('lets nothing wait that is stopped already', async () => {
    const rate = createSendRate({ perSecond: 10, reserve: oneRow() })
    await expect(take(rate, { signal: AbortSignal.abort() })).rejects.toMatchObject({ failure: 'outage' })
  })
})
