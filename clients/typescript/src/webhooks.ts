import { builtInEvents } from './generated/event-names.ts'
import type { webhooks } from './generated/schema.ts'
import { webCrypto } from './web-crypto.ts'

type Delivery<Name extends keyof webhooks> = webhooks[Name]['post']['requestBody']['content']['application/json']

/** The names of the built-in events. */
export type BuiltInEventName = Exclude<keyof webhooks, 'custom'>

/** What is delivered for a built-in event. Branch on `event`: its `data` follows. */
export type BuiltInEvent = { [Name in BuiltInEventName]: Omit<Delivery<Name>, 'event'> & { event: Name } }[BuiltInEventName]

/** What is delivered for an event of your own, under its own name. */
export type CustomEvent = Delivery<'custom'>

/** What an endpoint receives. Events that are added later are custom ones to this version. */
export type WebhookEvent = BuiltInEvent | CustomEvent

const NAMES: ReadonlySet<string> = new Set(builtInEvents)

/** Whether an event is one of the catalogue. */
export function isBuiltIn(event: WebhookEvent): event is BuiltInEvent {
  return NAMES.has(event.event)
}

/** A request that Tidings did not sign (`signature`), or that it signed and that is no event (`body`): answer it with 401, and do nothing. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly reason: 'signature' | 'body'

  constructor(reason: 'signature' | 'body') {
    super(reason === 'signature' ? 'the signature is not that of Tidings for this body' : 'the body is no event')
    this.reason = reason
  }
}

const SIGNATURE = /^sha256=([0-9a-f]{64})$/
const UTF8 = new TextEncoder()

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))

const isEvent = (value: unknown): value is WebhookEvent => {
  if (typeof value !== 'object' || value === null) return false
  const { event, deliveryId, data }: { event?: unknown; deliveryId?: unknown; data?: unknown } = value
  return typeof event === 'string' && typeof deliveryId === 'string' && typeof data === 'object' && data !== null
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A request to an endpoint. `body`: as it came, before any parsing. `signature`: its header `X-Sender-Signature`. */
export type WebhookRequest = Readonly<{ secret: string; body: string | Uint8Array<ArrayBuffer>; signature: string | null | undefined }>

/**
 * The event of a request that Tidings signed with this secret; compares in constant time. Throws `WebhookError` for any other, and `TypeError` for an
 * empty secret: anyone could sign.
 */
export async function verifyWebhook({ secret, body, signature }: WebhookRequest): Promise<WebhookEvent> {
  if (secret === '') throw new TypeError('the secret of the webhook is empty')
  const hex = SIGNATURE.exec(signature ?? '')?.[1]
  if (hex === undefined) throw new WebhookError('signature')
  const bytes = typeof body === 'string' ? UTF8.encode(body) : body
  const { subtle } = await webCrypto()
  const key = await subtle.importKey('raw', UTF8.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  if (!(await subtle.verify('HMAC', key, bytesOf(hex), bytes))) throw new WebhookError('signature')
  const event = parse(new TextDecoder().decode(bytes))
  if (!isEvent(event)) throw new WebhookError('body')
  return event
}
