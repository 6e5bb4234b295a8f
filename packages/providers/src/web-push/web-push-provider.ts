import { Blocked, CallFailed, NoAddress, Unresolved } from '@tidings/outbound-http'
import webPush from 'web-push'
import { DeliveryError } from '../port.ts'
import { payloadTooLarge, pushPayload, TTL_SECONDS, topicOf } from '../push/payload.ts'
import type { KeysRefused, PushCaller, PushMessage, PushProvider } from '../push/port.ts'
import { SlotsByKey } from '../queue/slots.ts'
import { areKeysRefused, readAnswer } from './read-answer.ts'

/** VAPID (RFC 8292): base64url keys, and whom a push service may write to. */
type Vapid = Readonly<{ publicKey: string; privateKey: string; subject: string }>

/**
 * `caller`: calls public addresses only; its time for a call is `callMs`, and `connections` are what it opens for a workspace to one push
 * service. `onKeysRefused` hears of each push that a push service did not take because of
 * our keys.
 */
export type WebPushSettings = Readonly<{
  vapid: Vapid
  caller: PushCaller
  callMs: number
  connections: number
  onKeysRefused?: ((refused: KeysRefused) => void) | undefined
}>

/**
 * Encrypts (RFC 8291) and signs with the library, and calls the push service over a caller of our own: the endpoint is a stranger's text, and the
 * library would connect wherever it leads. Throws one sentence for a subject or keys that cannot be used.
 */
export function createWebPushProvider({ vapid, caller, callMs, connections, onKeysRefused }: WebPushSettings): PushProvider {
  webPush.getVapidHeaders('https://push.example', vapid.subject, vapid.publicKey, vapid.privateKey, 'aes128gcm')
  const slots = new SlotsByKey({ slots: connections, carriesPasscodes: false })
  return {
    name: 'web-push',
    callMs,
    outage: () => null,
    send: async (message, { signal, fence, priority, handedOver }) => {
      const { headers, body } = requestOf(message, vapid)
      const { workspaceId: scope, endpoint: url } = message
      const { origin } = new URL(url)
      // One for each connection: behind the fence nothing waits for one.
      const leave = await slots.take(`${scope} ${origin}`, { workspaceId: scope, priority, signal })
      try {
        const answer = await caller.ask({ scope, lane: scope, url, headers, body, signal }, handedOver, fence)
        if (areKeysRefused(answer.status)) onKeysRefused?.({ service: origin, status: answer.status })
        return readAnswer(answer, topicOf(message))
      } catch (error) {
        throw deliveryError(error)
      } finally {
        leave()
      }
    },
    close: async () => undefined,
  }
}

const requestOf = (message: PushMessage, vapidDetails: Vapid) => {
  const payload = pushPayload(message)
  const refused = payloadTooLarge(payload)
  if (refused !== null) throw new DeliveryError('refused', refused)
  const { endpoint, keys, urgency } = message
  try {
    const request = webPush.generateRequestDetails({ endpoint, keys }, payload, {
      vapidDetails,
      TTL: TTL_SECONDS,
      urgency,
      topic: topicOf(message),
      contentEncoding: 'aes128gcm',
    })
    // The client counts the body itself.
    const { 'Content-Length': _, ...headers } = request.headers
    return {
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      body: request.body ?? Buffer.alloc(0),
    }
  } catch {
    // The library's words repeat what it was given.
    throw new DeliveryError('refused', 'the keys or the endpoint of the browser cannot be used')
  }
}

const deliveryError = (error: unknown): unknown => {
  if (error instanceof Unresolved || error instanceof NoAddress)
    return new DeliveryError('temporary', 'the name of the push service leads nowhere')
  if (error instanceof Blocked) return new DeliveryError('refused', 'the endpoint is not one that may be called')
  if (error instanceof CallFailed) return new DeliveryError(error.sent ? 'unconfirmed' : 'temporary', error.message)
  return error
}
