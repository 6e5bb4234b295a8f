import { Type } from '@sinclair/typebox'
import { isLoopback } from '../credentials.ts'
import type { ProviderKind } from '../provider-kind.ts'
import type { PushProvider, PushProviderOptions, PushTryOptions } from '../push/port.ts'
import { createUnconfiguredPushProvider } from '../unconfigured.ts'

/** `connections`: what is opened for a workspace to one push service. */
const limits = { connections: 16, callMs: 10_000 } as const

const NO_PRIVATE_KEY = 'TIDINGS_VAPID_PRIVATE_KEY is not set: pushes stay queued until it is'

/** Pushes to browsers (RFC 8030), under the VAPID keys of the installation. */
export const webPush = {
  name: 'web-push',
  begins: ['web-push'],
  forms: ['web-push'],
  means: 'to the push service of each browser, under the VAPID keys of the installation',
  settings: {
    vapidPublicKey: Type.Union([Type.String({ pattern: '^[A-Za-z0-9_-]{87}$' }), Type.Null()], {
      env: 'TIDINGS_VAPID_PUBLIC_KEY',
      must: 'a public key of P-256: 65 bytes as base64url',
      default: null,
      help: '65 bytes of P-256 as base64url; enough for a process that only reads',
    }),
    vapidPrivateKey: Type.Union([Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }), Type.Null()], {
      env: 'TIDINGS_VAPID_PRIVATE_KEY',
      must: 'a private key of P-256: 32 bytes as base64url',
      secret: true,
      default: null,
      help: '32 bytes as base64url',
    }),
    vapidSubject: Type.Union([Type.String({ pattern: '^(mailto:[^\\s@]+@[^\\s@]+|https://\\S+)$' }), Type.Null()], {
      env: 'TIDINGS_VAPID_SUBJECT',
      must: 'an address that starts with mailto: or https://',
      default: null,
      help: 'mailto:… or https://…, whom a push service writes to; null: the public URL, or mailto: of its host',
    }),
  },
  limits,
  open: async ({ vapid, caller, connections = limits.connections, callMs = limits.callMs, onKeysRefused }: PushProviderOptions) => {
    if (vapid === null || vapid.privateKey === null) return createUnconfiguredPushProvider()
    const { createWebPushProvider } = await import('./web-push-provider.ts')
    return createWebPushProvider({ connections, vapid: { ...vapid, privateKey: vapid.privateKey }, caller, callMs, onKeysRefused })
  },
  /** Apple refuses a contact on this machine with 403 `BadJwtToken`. */
  try: async ({ readKeys }: PushTryOptions) => {
    const keys = await readKeys()
    if (typeof keys === 'string') return { said: keys, lifted: [] }
    const { subject, publicKey, privateKey, isGiven } = keys
    if (privateKey === null) return { said: NO_PRIVATE_KEY, lifted: [] }
    const host = subject.startsWith('mailto:') ? subject.slice(subject.lastIndexOf('@') + 1) : new URL(subject).hostname
    if (isLoopback(host)) throw new Error(`push services cannot write to ${subject}, and some refuse pushes for that`)
    const origin = isGiven ? 'as given' : 'made by Tidings'
    return { said: `the public key is ${publicKey}, ${origin}; push services may write to ${subject}`, lifted: [] }
  },
} satisfies ProviderKind<PushProvider, PushProviderOptions, PushTryOptions>
