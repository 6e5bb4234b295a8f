import type { Answer } from '@tidings/outbound-http'
import { DeliveryError, type DeliveryFailure } from '../port.ts'
import { SubscribedUnderOtherKey } from '../push/port.ts'
import { retryAfterMs } from '../retry-after.ts'

/** The longest answer of a push service that is read; it may name the browser. */
const MAX_WORDS = 300
/** Beyond this the push is tried all the same: what waits for long is not worth a look. */
const MAX_RETRY_AFTER_MS = 3_600_000
/** The words of FCM, Mozilla's autopush and Apple for the one refusal of keys that no other try and no repair of ours can end. */
const UNDER_OTHER_KEY =
  /do not correspond to the credentials used to create the subscription|VAPID public key mismatch|VapidPkHashMismatch/i
const PROVIDER_ID = /^[\w.:%~-]{1,255}$/

/** The push service does not take our VAPID keys (RFC 8292 §4): that says nothing about the message, and may be put right. */
export function areKeysRefused(status: number): boolean {
  return status === 401 || status === 403
}

/** What a status means (RFC 8030 §5, §7.3, §8.4); null for a push that was taken. Redirects are not followed. */
const failureOf = (status: number): DeliveryFailure | null => {
  if (status >= 200 && status < 300) return null
  if (status === 404 || status === 410) return 'recipient'
  return areKeysRefused(status) || status === 408 || status === 429 || status >= 500 ? 'temporary' : 'refused'
}

/** The push service's id of the message, which is the end of its Location; `fallback` where it gives none. Throws `DeliveryError` unless it took it. */
export function readAnswer({ status, headers, body }: Answer, fallback: string): Readonly<{ providerMessageId: string }> {
  const failure = failureOf(status)
  if (failure === null) {
    const id = headers.location?.split('/').at(-1) ?? ''
    return { providerMessageId: PROVIDER_ID.test(id) ? id : fallback }
  }
  const words = body?.toString('utf8').replace(/\s+/g, ' ').trim().slice(0, MAX_WORDS)
  const response = words ? `${status} ${words}` : String(status)
  if (areKeysRefused(status) && UNDER_OTHER_KEY.test(response)) throw new SubscribedUnderOtherKey(response)
  throw new DeliveryError(failure, `the push service answered ${status}`, {
    response,
    retryAfterMs: retryAfterMs(headers['retry-after'], MAX_RETRY_AFTER_MS) ?? 0,
  })
}
