import { MAX_PUSH_BYTES, type MessageId } from '@tidings/domain'
import type { PushMessage } from './port.ts'

/** How long a push service keeps a push for a browser that is offline, in seconds: what comes a day late is not worth a look (M38). */
export const TTL_SECONDS = 86_400

type NamedNotification = Readonly<{ messageId: MessageId; notification: PushMessage['notification'] }>

/** What the service worker of a shop reads. `tag` is the message: a browser shows one of each, however often it comes. */
export function pushPayload({ messageId, notification: { title, body, url, icon } }: NamedNotification): string {
  return JSON.stringify({ title, body, ...(url !== null && { url }), ...(icon !== null && { icon }), tag: messageId })
}

/** Why a payload cannot be sent, in one sentence; null where it can. Its own addresses count with their tracked links. */
export function payloadTooLarge(payload: string): string | null {
  const bytes = Buffer.byteLength(payload)
  if (bytes <= MAX_PUSH_BYTES) return null
  return `The push is too large: title, body, link and icon make ${bytes} bytes together, and browsers take ${MAX_PUSH_BYTES}.`
}

/** Names the message to push services (RFC 8030 §5.4): a later one takes the place of the first while that waits. At most 32 characters. */
export function topicOf({ messageId }: Readonly<{ messageId: MessageId }>): string {
  return Buffer.from(messageId.replaceAll('-', ''), 'hex').toString('base64url')
}
