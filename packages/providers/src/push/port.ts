import type { MessageId, WorkspaceId } from '@tidings/domain'
import type { Caller } from '@tidings/outbound-http'
import type { Pool } from 'pg'
import { DeliveryError, type SendOptions } from '../port.ts'

/** What a notification shows; `url` is where a click leads. Absolute web addresses, null where there is none. */
type PushNotification = Readonly<{ title: string; body: string; url: string | null; icon: string | null }>

/** One push to one browser, everything in it final. `urgency` by RFC 8030 §5.3. */
export type PushMessage = Readonly<{
  workspaceId: WorkspaceId
  messageId: MessageId
  endpoint: string
  keys: Readonly<{ p256dh: string; auth: string }>
  notification: PushNotification
  urgency: 'normal' | 'high'
}>

/** The browser subscribed with another VAPID key than the one that signs: no push under this key ever reaches it (RFC 8292 §4.2). */
export class SubscribedUnderOtherKey extends DeliveryError {
  constructor(response: string) {
    super('recipient', 'the browser subscribed under another key', { response })
  }
}

/**
 * How pushes leave. Throws `DeliveryError` and nothing else, besides what `fence` throws: `recipient` where the subscription is gone (404 or
 * 410), which is `SubscribedUnderOtherKey` where another key of ours would reach it. A message that is sent to a browser again has the same topic and the same tag: it takes the place of the first there.
 */
export type PushProvider = Readonly<{
  name: string
  /** Longest time of one call, in ms. */
  callMs: number
  send: (message: PushMessage, options: SendOptions) => Promise<Readonly<{ providerMessageId: string }>>
  /** Why no push can leave at all, null while it can. */
  outage: () => string | null
  close: () => Promise<void>
}>

/** The keys that push services are shown (RFC 8292), base64url. `privateKey`: null in a process that cannot send. */
type VapidKeys = Readonly<{ publicKey: string; privateKey: string | null; subject: string }>

/** `service`: its origin, which is a stranger's text; nothing of the endpoint beside. */
export type KeysRefused = Readonly<{ service: string; status: number }>

/** Calls public addresses only. */
export type PushCaller = Readonly<{ ask: Caller['ask'] }>

/**
 * What a push provider is opened with. `vapid`: null where there are no keys. `connections`: what the
 * caller opens for a workspace to one push service. `callMs`: its time for a call. `onKeysRefused` hears of each
 * push that a push service did not take because of our keys.
 */
export type PushProviderOptions = Readonly<{
  provider: string
  vapid: VapidKeys | null
  pool: Pool
  caller: PushCaller
  connections?: number
  callMs?: number
  onKeysRefused?: ((refused: KeysRefused) => void) | undefined
}>

/** What a try of a push provider is given: the keys, and whether the operator has set them; or a sentence that says why there are none. */
export type PushTryOptions = Readonly<{ readKeys: () => Promise<(VapidKeys & Readonly<{ isGiven: boolean }>) | string> }>
