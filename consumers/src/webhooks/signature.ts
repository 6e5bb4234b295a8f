import { createHmac, type KeyObject } from 'node:crypto'
import { eventHeader } from './event-header.ts'

/** `sha256=` and the lowercase hex of HMAC-SHA256 over the body's bytes (contract: Webhook deliveries). */
export function signatureOf(key: KeyObject, body: Buffer): string {
  return `sha256=${createHmac('sha256', key).update(body).digest('hex')}`
}

export type Signed = Readonly<{ key: KeyObject; deliveryId: string; event: string; body: Buffer }>

/** The headers of the contract (N482 names the third). */
export function contractHeaders({ key, deliveryId, event, body }: Signed): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Tidings-Webhooks',
    'x-sender-signature': signatureOf(key, body),
    'x-sender-delivery': deliveryId,
    'x-sender-event': eventHeader(event),
  }
}

/** Those of Standard Webhooks 1.0, under the same key; `at` in seconds since the epoch. */
export function standardHeaders({ key, deliveryId, body }: Signed, at: number): Readonly<Record<string, string>> {
  const mac = createHmac('sha256', key).update(`${deliveryId}.${at}.`).update(body)
  return { 'webhook-id': deliveryId, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${mac.digest('base64')}` }
}
