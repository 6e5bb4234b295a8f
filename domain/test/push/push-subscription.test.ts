import { specFor } from '@tidings/testing/decider-spec'
import { describe, it } from 'vitest'
import { asContactId } from '../../src/ids.ts'
import {
  type PushSubscriptionEvent,
  type PushSubscriptionRegistered,
  pushSubscription,
  type RegisterPushSubscription,
} from '../../src/push/push-subscription.ts'

const { given } = specFor(pushSubscription)

const endpointHash = 'a1'.repeat(32)
const data: RegisterPushSubscription['data'] = {
  subscriptionId: 'first',
  contactId: asContactId('ada'),
  endpointHash,
  endpoint: 'https://push.example/1',
  p256dh: 'key',
  auth: 'secret',
  userAgent: null,
  browser: 'Firefox',
  platform: null,
  createdAt: '2026-11-21T10:00:00.000Z',
}
const register = (changed: Partial<typeof data> = {}): RegisterPushSubscription => ({
  type: 'RegisterPushSubscription',
  data: { ...data, ...changed },
})
const registered = (registration: number, changed: Partial<typeof data> = {}): PushSubscriptionRegistered => ({
  type: 'PushSubscriptionRegistered',
  data: { ...data, ...changed, registration },
})
const gone = (registration: number) => ({ type: 'RevokePushSubscription', data: { registration, reason: 'push_endpoint_gone' } }) as const
const revoked = (registration: number, contactId = asContactId('ada')): PushSubscriptionEvent => ({
  type: 'PushSubscriptionRevoked',
  data: { subscriptionId: 'first', contactId, endpointHash, registration, reason: 'push_endpoint_gone' },
})

describe('a push subscription', () => {
  it('is registered, and each repetition counts', () => {
    given()
      .when(register())
      .thenEachTime([registered(1)], [registered(2)])
  })

  it('keeps its id and its first moment when it comes again with other keys and labels', () => {
    const later = { subscriptionId: 'second', createdAt: '2026-12-01T00:00:00.000Z', auth: 'new', browser: null }
    const kept = { auth: 'new', browser: null }
    given(registered(1))
      .when(register(later))
      .thenEachTime([registered(2, kept)], [registered(3, kept)])
  })

  it('moves to the contact that it is registered for', () => {
    const moved = { contactId: asContactId('grace') }
    given(registered(1))
      .when(register(moved))
      .thenEachTime([registered(2, moved)], [registered(3, moved)])
  })

  it('is revoked once, for the registration that its push service answered', () => {
    given(registered(1)).when(gone(1)).thenEvents(revoked(1))
    given(registered(1), registered(2)).when(gone(1)).thenNothing()
    given().when(gone(0)).thenNothing()
  })

  it('is live again with the next registration', () => {
    given(registered(1), revoked(1))
      .when(register())
      .thenEachTime([registered(2)], [registered(3)])
    given(registered(1), revoked(1), registered(2)).when(gone(2)).thenEvents(revoked(2))
  })
})
