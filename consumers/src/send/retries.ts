import { databaseNow } from '@tidings/async/clock'
import { storableText } from '@tidings/codec'
import type { MessageCommand } from '@tidings/domain'
import type { Deferral } from '@tidings/jobs'
import type { DeliveryError } from '@tidings/providers'

/** The delays before a temporary failure is tried again (M16), in ms after each try. */
export const RETRY_DELAYS_MS: readonly number[] = [30_000, 120_000, 600_000, 3_600_000, 21_600_000]

/** Added at most, so that what failed together does not come back together; never below the promised delay. */
const JITTER = 0.1

/** A message that may have been taken is sent once more, after this long: many mail servers and clients know it again by its Message-ID. */
export const UNCONFIRMED_MS = 600_000

/** Jobs are not claimed while no message can leave: this is for jobs that ran when the outage began. */
export const DURING_OUTAGE: Deferral = { type: 'Deferred', inMs: 1_000, counts: false, deferredFor: 'provider_outage' }

/**
 * The only provider that may have the message cannot be used, while others can: it is asked again within half a minute of its recovery (M68). What the
 * contact is sent after it was not handed over, and leaves meanwhile.
 */
const DURING_OWN_OUTAGE: Deferral = {
  type: 'Deferred',
  inMs: 15_000,
  counts: false,
  isAside: true,
  deferredFor: 'own_provider_outage',
}

/** The wait during an outage: of the provider that alone may have the message (`boundTo`), or of all. */
export function untilRecovered(provider: Readonly<{ outage: () => string | null }>, boundTo: string | null): Deferral {
  return boundTo !== null && provider.outage() === null ? DURING_OWN_OUTAGE : DURING_OUTAGE
}

/** A try after which the message was surely not handed over is free for any provider, unless an earlier one may have been (`boundTo`). */
export function notHandedOver(next: Deferral, boundTo: string | null): Deferral {
  return boundTo === null ? { ...next, wasNotHandedOver: true } : next
}

/** The wait of a message that may have been taken. */
export function untilAnswered(inMs: number): Deferral {
  return { type: 'Deferred', inMs, counts: true, deferredFor: 'answer_missing' }
}

/** What is left of the wait of a message that may have been taken; null where it is over, or there is none. */
export function stillUnconfirmed(unconfirmedAt: string | null, attempt: number, waitMs: number): Deferral | null {
  if (unconfirmedAt === null) return null
  const inMs = Date.parse(unconfirmedAt) + waitMs - databaseNow()
  // A first attempt that waits would delay its lane.
  if (inMs <= 0) return null
  return { type: 'Deferred', inMs: Math.min(inMs, waitMs), counts: attempt === 0, deferredFor: 'answer_missing' }
}

/** The next try after a temporary failure; null where the last is over. */
export function retryAfter(attempt: number, delays: readonly number[]): Deferral | null {
  const delay = delays[attempt]
  if (delay === undefined) return null
  // A waiting job is not sealed: it must not repeat what a server said, which may name the person.
  return { type: 'Deferred', inMs: delay * (1 + Math.random() * JITTER), counts: true, deferredFor: 'retry' }
}

/** What a failed delivery of an email leads to: another try, or the outcome of the message. */
export function afterFailure(error: DeliveryError, attempt: number, delays: readonly number[]): Deferral | MessageCommand {
  const detail = storableText(error.response ?? error.message)
  if (error.failure === 'recipient') return { type: 'RecordBounced', data: { reason: 'hard_bounce', hard: true, detail } }
  if (error.failure === 'refused') return { type: 'RecordFailed', data: { reason: 'provider_rejected', detail } }
  // It went out twice already: whether it was taken is not known, and it must not go out a third time.
  if (error.failure === 'unconfirmed') return { type: 'RecordFailed', data: { reason: 'provider_unavailable', detail } }
  const again = retryAfter(attempt, delays)
  if (again !== null) return again
  if (error.saidByReceiver) return { type: 'RecordBounced', data: { reason: 'soft_bounce', hard: false, detail } }
  return { type: 'RecordFailed', data: { reason: 'provider_unavailable', detail } }
}
