import { storableText } from '@tidings/codec'
import type { MessageCommand } from '@tidings/domain'
import type { Deferral } from '@tidings/jobs'
import type { DeliveryError } from '@tidings/providers'
import { retryAfter } from '../send/retries.ts'

/** Decides what follows a failed text message: another try, or its outcome (N171, M16). */
export function afterSmsFailure(error: DeliveryError, attempt: number, delays: readonly number[]): Deferral | MessageCommand {
  const detail = storableText(error.response ?? error.message)
  if (error.isOptOut) return { type: 'RecordFailed', data: { reason: 'sms_stop', detail } }
  if (error.failure === 'recipient') return { type: 'RecordFailed', data: { reason: 'invalid_address', detail } }
  if (error.failure === 'refused') return { type: 'RecordFailed', data: { reason: 'provider_rejected', detail } }
  // It went out twice already: whether it was taken is not known, and it must not go out a third time.
  const again = error.failure === 'unconfirmed' ? null : retryAfter(attempt, delays)
  return again ?? { type: 'RecordFailed', data: { reason: 'provider_unavailable', detail } }
}
