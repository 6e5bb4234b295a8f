import { DeliveryError } from '@tidings/providers'
import { expect, test } from 'vitest'
import { RETRY_DELAYS_MS } from '../../src/send/retries.ts'
import { afterSmsFailure } from '../../src/send-sms/after-sms-failure.ts'

const after = (error: DeliveryError, attempt = 0) => afterSmsFailure(error, attempt, RETRY_DELAYS_MS)
const failed = (reason: string, detail: string) => ({ type: 'RecordFailed', data: { reason, detail } })

test('a number that cannot be reached is an invalid address, and the words of the provider are kept', () => {
  expect(after(new DeliveryError('recipient', 'refused', { response: '21614: no mobile number' }))).toEqual(
    failed('invalid_address', '21614: no mobile number'),
  )
})

test('a recipient who asked the gateway to stop is a reason of its own', () => {
  const error = new DeliveryError('refused', 'refused', { response: 'HTTP 400, 21610', isOptOut: true })
  expect(after(error)).toEqual(failed('sms_stop', 'HTTP 400, 21610'))
})

test('any other refusal is of the provider', () => {
  expect(after(new DeliveryError('refused', 'no route'))).toEqual(failed('provider_rejected', 'no route'))
})

test('a temporary failure is tried again by the schedule, and then the provider was not available', () => {
  for (const [attempt, delay] of RETRY_DELAYS_MS.entries()) {
    const again = after(new DeliveryError('temporary', 'later'), attempt)
    expect(again).toMatchObject({ counts: true, inMs: expect.any(Number) })
    if (again.type === 'Deferred') expect(again.inMs).toBeGreaterThanOrEqual(delay)
  }
  expect(after(new DeliveryError('temporary', 'later'), RETRY_DELAYS_MS.length)).toEqual(failed('provider_unavailable', 'later'))
})

test('a second missing answer is not tried again', () => {
  expect(after(new DeliveryError('unconfirmed', 'no answer'))).toEqual(failed('provider_unavailable', 'no answer'))
})
