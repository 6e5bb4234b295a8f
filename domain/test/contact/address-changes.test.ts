import { specFor } from '@tidings/testing/decider-spec'
import { describe, expect, it } from 'vitest'
import { type AddressFacts, noFacts } from '../../src/claim/claim.ts'
import type { ContactEvent, SuppressionReason } from '../../src/contact/contact.events.ts'
import { type ContactCommand, contact } from '../../src/contact/contact.ts'
import { factsOfAddress } from '../../src/contact/contact-channels.ts'
import { contactId, created, recorded, says } from './contact.testing.ts'

const { given } = specFor(contact)

const suppressed = (reason: SuppressionReason, channel: 'email' | 'sms' = 'email'): ContactEvent => ({
  type: 'ContactSuppressed',
  data: { contactId, channel, reason },
})
const cleaned = recorded('subscribed', 'cleaned', { source: 'hard_bounce' })
const dead = [recorded('never_subscribed', 'subscribed'), suppressed('hard_bounce'), cleaned]
type UpdateContact = Extract<ContactCommand, { type: 'UpdateContact' }>
const moves = (email: string | null, facts: AddressFacts = noFacts): UpdateContact => ({
  type: 'UpdateContact',
  data: { contactId, email: email === null ? { value: null, claimId: null } : { value: email, claimId: 'claim-9', facts } },
})
const changed = (email: string | null): ContactEvent => ({
  type: 'ContactEmailChanged',
  data: { contactId, email, claimId: email === null ? null : 'claim-9' },
})
const lifted = (...reasons: readonly SuppressionReason[]): ContactEvent => ({
  type: 'ContactSuppressionLifted',
  data: { contactId, channel: 'email', reasons },
})
const back = (to: 'subscribed' | 'never_subscribed' | 'unsubscribed') => recorded('cleaned', to, { source: 'address_changed' })
const validated = (state: 'unknown' | 'valid' | 'invalid'): ContactEvent => ({ type: 'ContactEmailValidated', data: { contactId, state } })

describe('an address that is given up', () => {
  it.each(['new@example.com', null])('takes its bounce along, and the consent is what it was (to %s)', (email) => {
    given(created(), ...dead)
      .when(moves(email))
      .thenEvents(changed(email), lifted('hard_bounce'), back('subscribed'))
  })

  it('takes its validation along', () => {
    given(created(), validated('valid')).when(moves('new@example.com')).thenEvents(changed('new@example.com'), validated('unknown'))
  })

  it('leaves what is the person’s: a blacklisting, a complaint, an unsubscription, a list cleanup', () => {
    given(created(), ...dead, suppressed('global_blocklist'), suppressed('spam_complaint'))
      .when(moves('new@example.com'))
      .thenEvents(changed('new@example.com'), lifted('hard_bounce'), back('subscribed'))
    given(created(), ...dead, recorded('cleaned', 'unsubscribed', { source: 'unsubscribe_link' }))
      .when(moves('new@example.com'))
      .thenEvents(changed('new@example.com'), lifted('hard_bounce'))
    given(created(), recorded('subscribed', 'cleaned', { source: 'list_cleanup' }))
      .when(moves('new@example.com'))
      .thenEvents(changed('new@example.com'))
  })

  it('leaves a list cleanup that came behind a bounce', () => {
    given(created(), ...dead, recorded('cleaned', 'cleaned', { source: 'list_cleanup' }))
      .when(moves('new@example.com'))
      .thenEvents(changed('new@example.com'), lifted('hard_bounce'))
  })

  it('gives the consent back before a new one is said', () => {
    const { data } = moves('new@example.com')
    given(created(), ...dead)
      .when({ type: 'UpdateContact', data: { ...data, contactId, consents: [says()] } })
      .thenEachTime(
        [changed('new@example.com'), lifted('hard_bounce'), back('subscribed'), recorded('subscribed', 'subscribed')],
        [recorded('subscribed', 'subscribed')],
      )
  })

  it('is the same with a number that cannot be reached', () => {
    const unreachable = recorded('subscribed', 'cleaned', { channel: 'sms', source: 'undeliverable' })
    given(created({ phone: '+972501234567', phoneClaimId: 'claim-2' }), suppressed('sms_stop', 'sms'), unreachable)
      .when({ type: 'UpdateContact', data: { contactId, phone: { value: null, claimId: null } } })
      .thenEvents(
        { type: 'ContactPhoneChanged', data: { contactId, phone: null, claimId: null } },
        recorded('cleaned', 'subscribed', { channel: 'sms', source: 'address_changed' }),
      )
  })
})

describe('an address that is taken', () => {
  const known = { ...noFacts, reasons: ['hard_bounce', 'invalid_address'], validation: 'invalid' } as const

  it('brings along what is known of it, behind what the person says', () => {
    const { data } = moves('dead@example.com', known)
    given(created())
      .when({ type: 'UpdateContact', data: { ...data, contactId, consents: [says()] } })
      .thenEachTime(
        [
          changed('dead@example.com'),
          recorded('never_subscribed', 'subscribed'),
          validated('invalid'),
          suppressed('hard_bounce'),
          suppressed('invalid_address'),
          cleaned,
        ],
        [recorded('cleaned', 'subscribed')],
      )
  })

  it('is the same to a contact that is new', () => {
    const events = contact.decide(
      {
        type: 'CreateContact',
        data: {
          contactId,
          email: { value: 'dead@example.com', claimId: 'c', facts: known },
          details: {},
          consents: [says()],
          source: 'api',
        },
      },
      contact.initialState,
    )
    const state = events.reduce(contact.evolve, contact.initialState)
    expect(state).toMatchObject({ consents: { email: 'cleaned' }, emailValidation: 'invalid', cleanedFrom: { email: 'subscribed' } })
    expect(state.suppressions.email).toEqual(['hard_bounce', 'invalid_address'])
    expect(factsOfAddress(state, 'email')).toEqual(known)
  })
})

describe('reasons add up', () => {
  it.each([
    ['hard_bounce', 'spam_complaint'],
    ['spam_complaint', 'hard_bounce'],
  ] as const)('%s, then %s', (first, second) => {
    const note = (outcome: typeof first | typeof second) =>
      ({ type: 'NoteEmailOutcome', data: { contactId, email: 'ada@example.com', outcome } }) as const
    let state = contact.evolve(contact.initialState, created())
    for (const outcome of [first, second]) state = contact.decide(note(outcome), state).reduce(contact.evolve, state)
    expect(new Set(state.suppressions.email)).toEqual(new Set(['hard_bounce', 'spam_complaint']))
  })

  it('a complaint of a mail to an address that the person has left is still the person’s', () => {
    given(created())
      .when({ type: 'NoteEmailOutcome', data: { contactId, email: 'old@example.com', outcome: 'spam_complaint' } })
      .thenEvents(suppressed('spam_complaint'), recorded('never_subscribed', 'unsubscribed', { source: 'spam_complaint' }))
  })
})
