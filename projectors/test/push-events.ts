import { asContactId, type PushSubscriptionEvent } from '@tidings/domain'
import fc from 'fast-check'
import { maybe, words } from './arbitraries.ts'

const contacts = ['5f0e7e3a-7b52-4a3c-9d5e-0d3a6a6f0c11', '5f0e7e3a-7b52-4a3c-9d5e-0d3a6a6f0c12'] as const

/** A browser that is registered one to three times, for one contact or another, and may be gone after each. */
export function pushSubscriptionLife(endpointHash: string, subscriptionId: string): fc.Arbitrary<readonly PushSubscriptionEvent[]> {
  const registration = fc.record({
    contactId: fc.constantFrom(...contacts).map(asContactId),
    browser: maybe(words),
    platform: maybe(words),
    isGone: fc.boolean(),
  })
  return fc.array(registration, { minLength: 1, maxLength: 3 }).map((all) =>
    all.flatMap(({ contactId, browser, platform, isGone }, i): readonly PushSubscriptionEvent[] => {
      const of = { subscriptionId, contactId, endpointHash, registration: i + 1 }
      const said = { endpoint: 'https://push.example/1', p256dh: 'key', auth: 'secret', userAgent: null, browser, platform }
      const registered = { type: 'PushSubscriptionRegistered', data: { ...of, ...said, createdAt: '2026-01-01T00:00:00.000Z' } } as const
      return isGone ? [registered, { type: 'PushSubscriptionRevoked', data: { ...of, reason: 'push_endpoint_gone' } }] : [registered]
    }),
  )
}
