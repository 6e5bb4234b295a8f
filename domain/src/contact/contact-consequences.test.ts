import { specFor } from '@tidings/testing/decider-spec'
import { describe, it } from 'vitest'
import type { ContactEvent } from './contact.events.ts'
import { contactId, created, recorded, says } from './contact.testing.ts'
import { contact } from './contact.ts'

const { given } = specFor(contact)

describe('consent', () => {
  it('is recorded again when the person says it again', () => {
    given(created(), recorded('never_subscribed', 'subscribed'))
      .when({ type: 'RecordConsent', data: { contactId, consents: [says({ ip: '192.0.2.1', userAgent: 'curl' })] } })
      .thenEachTime(
        [recorded('subscribed', 'subscribed', { ip: '192.0.2.1', userAgent: 'curl' })],
        [recorded('subscribed', 'subscribed', { ip: '192.0.2.1', userAgent: 'curl' })],
      )
  })

  it('comes after the other changes of the same command', () => {
    given(created())
      .when({ type: 'UpdateContact', data: { contactId, details: { firstName: 'A.' }, consents: [says({ channel: 'push' })] } })
      .thenEachTime(
        [
          { type: 'ContactDetailsChanged', data: { contactId, firstName: 'A.' } },
          recorded('never_subscribed', 'subscribed', { channel: 'push' }),
        ],
        [recorded('subscribed', 'subscribed', { channel: 'push' })],
      )
  })
})

describe('suppression', () => {
  const suppressed = (channel: 'email' | 'sms', reason: 'global_blocklist' | 'hard_bounce'): ContactEvent => ({
    type: 'ContactSuppressed',
    data: { contactId, channel, reason },
  })

  it('is recorded once for each channel and reason', () => {
    given(created(), suppressed('email', 'global_blocklist'))
      .when({ type: 'SuppressContact', data: { contactId, channels: ['email', 'sms'], reason: 'global_blocklist' } })
      .thenEvents(suppressed('sms', 'global_blocklist'))
    given(created(), suppressed('email', 'global_blocklist'))
      .when({ type: 'SuppressContact', data: { contactId, channels: ['email'], reason: 'hard_bounce' } })
      .thenEvents(suppressed('email', 'hard_bounce'))
  })

  it('is lifted for the whole channel, whatever its reasons', () => {
    given(created(), suppressed('email', 'global_blocklist'), suppressed('email', 'hard_bounce'), suppressed('sms', 'global_blocklist'))
      .when({ type: 'LiftSuppression', data: { contactId, channels: ['email'] } })
      .thenEvents({ type: 'ContactSuppressionLifted', data: { contactId, channel: 'email' } })
  })

  it('cannot be lifted where there is none', () => {
    given(created())
      .when({ type: 'LiftSuppression', data: { contactId, channels: ['email', 'sms'] } })
      .thenNothing()
  })
})

describe('the outcome of a mail', () => {
  const outcome = (of: 'delivered' | 'hard_bounce' | 'invalid_address' | 'spam_complaint', email = 'ada@example.com') =>
    ({ type: 'NoteEmailOutcome', data: { contactId, email, outcome: of } }) as const
  const validated = (state: 'valid' | 'invalid'): ContactEvent => ({ type: 'ContactEmailValidated', data: { contactId, state } })
  const suppressed = (reason: 'hard_bounce' | 'invalid_address' | 'spam_complaint'): ContactEvent => ({
    type: 'ContactSuppressed',
    data: { contactId, channel: 'email', reason },
  })

  it('delivered makes the address valid', () => {
    given(created()).when(outcome('delivered')).thenEvents(validated('valid'))
  })

  it('a hard bounce suppresses it and cleans the consent', () => {
    given(created(), recorded('never_subscribed', 'subscribed'))
      .when(outcome('hard_bounce'))
      .thenEvents(suppressed('hard_bounce'), recorded('subscribed', 'cleaned', { source: 'hard_bounce' }))
  })

  it('a bounce that says there is no such address makes it invalid too', () => {
    given(created())
      .when(outcome('invalid_address'))
      .thenEvents(validated('invalid'), suppressed('invalid_address'), recorded('never_subscribed', 'cleaned', { source: 'hard_bounce' }))
  })

  it('a complaint suppresses it and takes the consent back', () => {
    given(created())
      .when(outcome('spam_complaint'))
      .thenEvents(suppressed('spam_complaint'), recorded('never_subscribed', 'unsubscribed', { source: 'spam_complaint' }))
  })

  it('says nothing about an address that the contact has left', () => {
    given(created()).when(outcome('hard_bounce', 'old@example.com')).thenNothing()
  })
})

describe('checking an address', () => {
  it('counts for the address that was checked only', () => {
    given(created())
      .when({ type: 'ValidateEmail', data: { contactId, email: 'ada@example.com', state: 'risky' } })
      .thenEvents({ type: 'ContactEmailValidated', data: { contactId, state: 'risky' } })
    given(created())
      .when({ type: 'ValidateEmail', data: { contactId, email: 'old@example.com', state: 'risky' } })
      .thenNothing()
  })
})
