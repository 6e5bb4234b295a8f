import { createHmac, type KeyObject } from 'node:crypto'

/** `sha256=` and the lowercase hex of HMAC-SHA256 over the body's bytes (contract: Webhook deliveries). */
export function signatureOf(key: KeyObject, body: Buffer): string {
  return `sha256=${createHmac('sha256', key).update(body).digest('hex')}`
}

export type Signed = Readonly<{ key: KeyObject; deliveryId: string; event: string; body: Buffer }>

/** The headers of the contract (N482 names the third). */
function contractHeaders({ key, deliveryId, event, body }: Signed): Readonly<Record<string, string>> {
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

/** Every header of a delivery. `standardAt`: when it is signed by Standard Webhooks too, in seconds since the epoch; null where it is not. */
export function signedHeaders(signed: Signed, standardAt: number | null): Readonly<Record<string, string>> {
  return { ...contractHeaders(signed), ...(standardAt === null ? {} : standardHeaders(signed, standardAt)) }
}

/** The bytes that a receiver gets; `data` is JSON. */
export function deliveryBody({ event, deliveryId, data }: Readonly<Record<'event' | 'deliveryId' | 'data', string>>): Buffer {
  return Buffer.from(`{"event":${JSON.stringify(event)},"deliveryId":"${deliveryId}","data":${data}}`)
}

/** The characters that a header cannot carry, or would lose at its ends, and `%`. */
const ENCODED = /[^\x20-\x24\x26-\x7e]|^ +| +$/gu
/** `%` with two digits would read as something encoded. */
const PLAIN = /^(?! )(?:[\x20-\x24\x26-\x7e]|%(?![\da-f]{2}))*(?<! )$/i

/**
 * The name of an event as the value of a header: unchanged where it is printable ASCII without blanks at its ends. Another, and one in which `%`
 * stands before two hexadecimal digits, is percent-encoded (RFC 3986 over UTF-8), `%` included. So `%` and two digits in the value say that
 * it is encoded, and nothing else looks so.
 */
export function eventHeader(name: string): string {
  return PLAIN.test(name) ? name : name.replace(ENCODED, percentEncoded)
}

const percentEncoded = (text: string): string => Buffer.from(text).toString('hex').toUpperCase().replace(/../g, '%$&')
