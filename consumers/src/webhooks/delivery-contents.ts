import { createSecretKey } from 'node:crypto'
import { databaseNow } from '@tidings/async/clock'
import type { EventLog, KeyRing } from '@tidings/codec'
import type { WorkspaceId } from '@tidings/domain'
import { createPayloadReader } from './payload-reader.ts'
import { createPayloads } from './payloads.ts'
import { deliveryBody, signedHeaders } from './signature.ts'

/** `source`: what it is made from (domain/src/webhooks/asked-deliveries.ts). */
type DeliveryRef = Readonly<{ workspaceId: WorkspaceId; source: string; event: string; deliveryId: string }>
type Signing = Readonly<{ event: string; deliveryId: string; body: string; secret: string }>

/** `expiresAt`: null where nothing in the signature says when it was made. */
type SignedDelivery = Readonly<{ headers: Readonly<Record<string, string>>; expiresAt: string | null }>

/** What deliveries say, for a person who looks at one. */
export type DeliveryContents = Readonly<{
  /** The text that its receiver gets; null once the person that it is about is erased. */
  bodyOf: (delivery: DeliveryRef) => Promise<string | null>
  sign: (signing: Signing) => SignedDelivery
}>

/** For so long receivers take what is signed by Standard Webhooks: its libraries say five minutes. */
const TOLERANCE_S = 300

type Sources = Readonly<{ log: EventLog; keyRing: Pick<KeyRing, 'cached' | 'load'>; standardHeaders: boolean }>

/** Nothing is cached from one look to the next: what was erased in between is gone. */
export function deliveryContents({ log, keyRing, standardHeaders }: Sources): DeliveryContents {
  return {
    bodyOf: async ({ workspaceId, source, event, deliveryId }) => {
      const payload = await createPayloads(createPayloadReader(log, keyRing)).of({ workspaceId, source, event })
      return payload === null ? null : deliveryBody({ event, deliveryId, data: payload.data }).toString()
    },
    sign: ({ event, deliveryId, body, secret }) => {
      const at = Math.floor(databaseNow() / 1_000)
      const signed = { key: createSecretKey(secret, 'ascii'), event, deliveryId, body: Buffer.from(body) }
      const headers = signedHeaders(signed, standardHeaders ? at : null)
      return { headers, expiresAt: standardHeaders ? new Date((at + TOLERANCE_S) * 1_000).toISOString() : null }
    },
  }
}
