import { DeliveryError } from '@tidings/providers'
import { expect, test } from 'vitest'
import { afterFailure, RETRY_DELAYS_MS } from '../../src/send/retries.ts'

const temporary = new DeliveryError('temporary', 'no answer')
const delayAt = (attempt: number): number => {
  const next = afterFailure(temporary, attempt, RETRY_DELAYS_MS)
  return next.type === 'Deferred' ? next.inMs : Number.NaN
}

test('tries come after 30 s, 2 min, 10 min, 1 h and 6 h, never earlier and at most a tenth later', () => {
  for (const [attempt, seconds] of [30, 120, 600, 3_600, 21_600].entries()) {
    expect(delayAt(attempt)).toBeGreaterThanOrEqual(seconds * 1_000)
    expect(delayAt(attempt)).toBeLessThanOrEqual(seconds * 1_100)
  }
})

test('after the last, the provider was unavailable, unless the receiver itself said later', () => {
  expect(afterFailure(temporary, 5, RETRY_DELAYS_MS)).toMatchObject({ type: 'RecordFailed', data: { reason: 'provider_unavailable' } })
  const greylisted = new DeliveryError('temporary', 'later', { saidByReceiver: true })
  expect(afterFailure(greylisted, 5, RETRY_DELAYS_MS)).toMatchObject({
    type: 'RecordBounced',
    data: { reason: 'soft_bounce', hard: false },
  })
})

test('a refusal is final at the first try', () => {
  expect(afterFailure(new DeliveryError('refused', 'no'), 0, RETRY_DELAYS_MS)).toMatchObject({ data: { reason: 'provider_rejected' } })
  expect(afterFailure(new DeliveryError('recipient', 'no'), 0, RETRY_DELAYS_MS)).toMatchObject({
    data: { reason: 'hard_bounce', hard: true },
  })
})

test('what a server says is kept short and without control characters, and never in the waiting job', () => {
  const chatty = new DeliveryError('recipient', 'x', { response: `550 <ada@example.com>\u0000\r\n${'no '.repeat(500)}\ud800` })
  const bounced = afterFailure(chatty, 0, RETRY_DELAYS_MS)
  const detail = 'data' in bounced && 'detail' in bounced.data ? bounced.data.detail : null
  expect(detail).toMatch(/^550 <ada@example\.com> no /)
  expect(detail?.length).toBeLessThanOrEqual(500)
  const waiting = afterFailure(new DeliveryError('temporary', 'x', { response: '451 <ada@example.com> later' }), 0, RETRY_DELAYS_MS)
  expect(JSON.stringify(waiting)).not.toContain('ada@')
})
