import { storableText } from '@tidings/codec'
import type { MessageCommand } from '@tidings/domain'
import type { Again } from '@tidings/inbox'
import type { DeliveryError } from '@tidings/providers'

/** When a failure that may pass is tried again (decisions.md M16), in ms after each try. */
export const RETRY_DELAYS_MS: readonly number[] = [30_000, 120_000, 600_000, 3_600_000, 21_600_000]

/** Added at most, so that what failed together does not come back together; never below the promised delay. */
const JITTER = 0.1

/** What a failed delivery leads to: another try, or the outcome of the message. */
export function afterFailure(error: DeliveryError, attempt: number, delays: readonly number[]): Again | MessageCommand {
  const detail = storableText(error.response ?? error.message)
  if (error.failure === 'recipient') return { type: 'RecordBounced', data: { reason: 'hard_bounce', hard: true, detail } }
  if (error.failure === 'refused') return { type: 'RecordFailed', data: { reason: 'provider_rejected', detail } }
  const delay = delays[attempt]
  // The reason of a waiting job is not sealed: it must not repeat what a server said, which may name the person.
  if (delay !== undefined) return { inMs: delay * (1 + Math.random() * JITTER), counts: true, reason: 'temporary failure of the provider' }
  if (error.saidByReceiver) return { type: 'RecordBounced', data: { reason: 'soft_bounce', hard: false, detail } }
  return { type: 'RecordFailed', data: { reason: 'provider_unavailable', detail } }
}
