import { specFor } from '@tidings/testing/decider-spec'
import { describe, it } from 'vitest'
import type { ContactEvent } from '../../src/contact/contact.events.ts'
import { type ContactCommand, contact } from '../../src/contact/contact.ts'
import { asCampaignId, asMessageId } from '../../src/index.ts'
import { contactId, created, recorded, says } from './contact.testing.ts'

const { given } = specFor(contact)

describe('a text message', () => {
  const phone = '+972501234567'
  const withPhone = created({ phone, phoneClaimId: 'claim-2' })
  const message = { messageId: asMessageId('message-1'), campaign: { campaignId: asCampaignId('k'), variant: 0 } }
  const sms = (from: 'never_subscribed' | 'subscribed' | 'unsubscribed', to: 'subscribed' | 'unsubscribed' | 'cleaned', source: string) =>
    recorded(from, to, { channel: 'sms', source, ...(to === 'unsubscribed' && { message }) })
  const stopped: ContactEvent = { type: 'ContactSuppressed', data: { contactId, channel: 'sms', reason: 'sms_stop' } }
  const lifted: ContactEvent = { type: 'ContactSuppressionLifted', data: { contactId, channel: 'sms' } }
  const reply = (word: 'stop' | 'start', number = phone): ContactCommand => ({
    type: 'NoteSmsReply',
    data: { contactId, phone: number, reply: word, message: message },
  })

  it('that can never arrive cleans the consent of the number, once, while it is the contact’s', () => {
    const unreachable: ContactCommand = { type: 'NoteSmsUnreachable', data: { contactId, phone } }
    given(withPhone)
      .when(unreachable)
      .thenEvents(sms('never_subscribed', 'cleaned', 'undeliverable'))
    given(created()).when(unreachable).thenNothing()
  })

  it('is answered STOP or START, each time a line of the history', () => {
    given(withPhone)
      .when(reply('stop'))
      .thenEachTime([sms('never_subscribed', 'unsubscribed', 'sms_stop'), stopped], [sms('unsubscribed', 'unsubscribed', 'sms_stop')])
    given(withPhone, sms('never_subscribed', 'unsubscribed', 'sms_stop'), stopped)
      .when(reply('start'))
      .thenEachTime([sms('unsubscribed', 'subscribed', 'sms_start'), lifted], [sms('subscribed', 'subscribed', 'sms_start')])
  })

  it('of another number withdraws the person’s consent all the same, and gives none', () => {
    const other = '+972500000000'
    given(withPhone)
      .when(reply('stop', other))
      .thenEachTime([sms('never_subscribed', 'unsubscribed', 'sms_stop'), stopped], [sms('unsubscribed', 'unsubscribed', 'sms_stop')])
    given(withPhone).when(reply('start', other)).thenNothing()
  })

  it('that a gateway refuses for a STOP withdraws the consent, once', () => {
    given(withPhone, sms('never_subscribed', 'subscribed', 'api'))
      .when({ type: 'NoteSmsOptOut', data: { contactId, message: message } })
      .thenEvents(sms('subscribed', 'unsubscribed', 'sms_stop'), stopped)
  })

  it('that is answered START lifts no suppression of another reason', () => {
    const blocked: ContactEvent = { type: 'ContactSuppressed', data: { contactId, channel: 'sms', reason: 'global_blocklist' } }
    given(withPhone, blocked, stopped)
      .when(reply('start'))
      .thenEachTime([sms('never_subscribed' as const, 'subscribed', 'sms_start')], [sms('subscribed', 'subscribed', 'sms_start')])
  })
})

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
