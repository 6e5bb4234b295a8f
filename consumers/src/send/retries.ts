import { databaseNow } from '@tidings/clock'
import { storableText } from '@tidings/codec'
import type { MessageCommand } from '@tidings/domain'
import type { Again } from '@tidings/inbox'
import type { DeliveryError } from '@tidings/providers'

/** The delays before a temporary failure is tried again (M16), in ms after each try. */
export const RETRY_DELAYS_MS: readonly number[] = [30_000, 120_000, 600_000, 3_600_000, 21_600_000]

/** Added at most, so that what failed together does not come back together; never below the promised delay. */
const JITTER = 0.1

/** A message that may have been taken is sent once more, after this long: many mail servers and clients know it again by its Message-ID. */
export const UNCONFIRMED_MS = 600_000

/** Jobs are not claimed while no message can leave: this is for jobs that ran when the outage began. */
export const DURING_OUTAGE: Again = { inMs: 1_000, counts: false, reason: 'the provider cannot be used' }

const UNANSWERED = 'the answer to the message is missing'

/** The wait of a message that may have been taken. */
export function untilAnswered(inMs: number): Again {
  return { inMs, counts: true, reason: UNANSWERED }
}

/** Whether a message waits because it may have been taken. */
export function isUnanswered({ reason }: Again): boolean {
  return reason === UNANSWERED
}

/** What is left of the wait of a message that may have been taken; null where it is over, or there is none. */
export function stillUnconfirmed(unconfirmedAt: string | null, attempt: number, waitMs: number): Again | null {
  if (unconfirmedAt === null) return null
  const inMs = Date.parse(unconfirmedAt) + waitMs - databaseNow()
  // A first attempt that waits would hold up its lane.
  return inMs <= 0 ? null : { inMs: Math.min(inMs, waitMs), counts: attempt === 0, reason: UNANSWERED }
}

/** The next try after a temporary failure; null where the last is over. */
export function retryAfter(attempt: number, delays: readonly number[]): Again | null {
  const delay = delays[attempt]
  // The reason of a waiting job is not sealed: it must not repeat what a server said, which may name the person.
  return delay === undefined
    ? null
    : { inMs: delay * (1 + Math.random() * JITTER), counts: true, reason: 'temporary failure of the provider' }
}

/** What a failed delivery of an email leads to: another try, or the outcome of the message. */
export function afterFailure(error: DeliveryError, attempt: number, delays: readonly number[]): Again | MessageCommand {
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
