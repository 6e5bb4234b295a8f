import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { ContactUuid, NullableTimestamp, nullableText, Timestamp, text, Uuid, verbatim } from './kinds.ts'

const { Optional } = Type

const publicKey = Type.Object({ publicKey: nullableText(), enabled: Type.Boolean() })

/** `enabled` false: registrations are recorded, and nothing can be delivered (N434). */
export const PushPublicKey = described(publicKey, {
  name: 'PushPublicKey',
  about: 'The key that browsers subscribe to web push with.',
  fields: {
    publicKey: 'The VAPID public key as base64url, or null where there is none.',
    enabled: 'Whether pushes can be delivered; else registrations are recorded only.',
  },
  example: {
    publicKey: 'BEl62iUYgUivxIkv69yViEuiBIa-Ib9-SkvMeAtA3LFgDzkrxZJjSgSnfckjBJuBkr3qBUYIHBQFLXYp5Nksh8U',
    enabled: true,
  },
})

const key = verbatim(255, { notEmpty: true })

const PushKeys = described(Type.Object({ p256dh: key, auth: key }), {
  name: 'PushKeys',
  about: 'The keys that pushes to the browser are encrypted with (RFC 8291).',
  fields: { p256dh: 'The public key of the browser, as base64url.', auth: 'The secret of the subscription, as base64url.' },
})

const registration = Type.Object({
  profileId: ContactUuid,
  endpoint: verbatim(2_048, { notEmpty: true }),
  keys: PushKeys,
  userAgent: Optional(text(500)),
  browser: Optional(text(64)),
  platform: Optional(text(64)),
})

/** What `PushSubscription.toJSON()` of a browser says, and labels of one's own (N436). */
export const RegisterPushBody = described(registration, {
  name: 'RegisterPushBody',
  about: 'A browser that subscribed to web push, and whose it is.',
  fields: {
    profileId: 'The UUID of the profile that the browser belongs to.',
    endpoint: 'The URL of the push service, as the browser says it.',
    keys: 'The keys of the subscription, as the browser says them.',
    userAgent: 'The user agent of the browser; never returned.',
    browser: 'A label for the browser.',
    platform: 'A label for the platform.',
  },
  example: {
    profileId: exampleIds.contact,
    endpoint: 'https://push.example/send/f1a2b3c4',
    keys: {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    },
    browser: 'Chrome',
    platform: 'Android',
  },
})
export type RegisterPushBody = Static<typeof RegisterPushBody>

const subscription = Type.Object({
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

/** `endpointHash`: SHA-256 of the endpoint in hex, the identity of the browser. The endpoint itself is in no answer. */
export const PushSubscription = described(subscription, {
  name: 'PushSubscription',
  about: 'A browser that pushes can be sent to.',
  fields: {
    id: 'The UUID of the subscription.',
    profileId: 'The UUID of the profile that the browser belongs to.',
    endpointHash: 'The SHA-256 of the endpoint in hex.',
    browser: 'The label of the browser, or null.',
    platform: 'The label of the platform, or null.',
    createdAt: 'When the browser was registered first.',
    lastSeenAt: 'When the browser was registered last.',
    revokedAt: 'When the subscription ended, or null.',
    revokeReason: 'Why the subscription ended, or null.',
  },
  example: {
    id: 'b7a1c2d3-6f80-4f5c-9a51-6f0c2d6d3b77',
    profileId: exampleIds.contact,
    endpointHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    browser: 'Chrome',
    platform: 'Android',
    createdAt: exampleTime,
    lastSeenAt: exampleTime,
    revokedAt: null,
    revokeReason: null,
  },
})
export type PushSubscription = Static<typeof PushSubscription>
