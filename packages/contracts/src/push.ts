import { type Static, Type } from '@sinclair/typebox'
import { NullableTimestamp, nullableText, Timestamp, text, Uuid } from './kinds.ts'

const { Optional } = Type

/** `enabled` false: registrations are recorded, and nothing can be delivered (N434). */
export const PushPublicKey = Type.Object({ publicKey: nullableText(), enabled: Type.Boolean() })

const key = text(255, { notEmpty: true })

/** What `PushSubscription.toJSON()` of a browser says, and labels of one's own (N436). */
export const RegisterPushBody = Type.Object({
  profileId: Uuid,
  endpoint: text(2_048, { notEmpty: true }),
  keys: Type.Object({ p256dh: key, auth: key }),
  userAgent: Optional(text(500)),
  browser: Optional(text(64)),
  platform: Optional(text(64)),
})
export type RegisterPushBody = Static<typeof RegisterPushBody>

/** `endpointHash`: SHA-256 of the endpoint in hex, the identity of the browser. The endpoint itself is in no answer. */
export const PushSubscription = Type.Object({
  id: Uuid,
  profileId: Uuid,
  endpointHash: Type.String(),
  browser: nullableText(),
  platform: nullableText(),
  createdAt: Timestamp,
  lastSeenAt: Timestamp,
  revokedAt: NullableTimestamp,
  revokeReason: nullableText(),
})
export type PushSubscription = Static<typeof PushSubscription>
