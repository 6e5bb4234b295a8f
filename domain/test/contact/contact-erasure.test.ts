import { specFor } from '@tidings/testing/decider-spec'
import { describe, expect, it } from 'vitest'
import type { ContactEvent } from '../../src/contact/contact.events.ts'
import { type ContactCommand, contact } from '../../src/contact/contact.ts'
import { evolveContact, hasClaim, unknownContact } from '../../src/contact/contact-state.ts'
import { contactId, created, recorded, says } from './contact.testing.ts'

const { given } = specFor(contact)

const requested: ContactEvent = { type: 'ContactErasureRequested', data: { contactId } }
const erased: ContactEvent = { type: 'ContactErased', data: { contactId } }
const request: ContactCommand = { type: 'RequestErasure', data: { contactId } }
const complete: ContactCommand = { type: 'CompleteErasure', data: { contactId } }

describe('an erasure', () => {
  it('is asked for once, and completed once', () => {
    given(created(), recorded('never_subscribed', 'subscribed')).when(request).thenEvents(requested)
    given(created(), requested).when(request).thenNothing()
    given(created(), requested).when(complete).thenEvents(erased)
    given(created(), requested, erased).when(complete).thenNothing()
    given(created(), requested, erased).when(request).thenNothing()
  })

  it('cannot be asked for where there is no contact, nor be completed where it was not asked for', () => {
    given().when(request).thenRefused('contact_not_found')
    given({ type: 'ContactClaimAbandoned', data: { contactId, claimId: 'claim-1' } })
      .when(request)
      .thenRefused('contact_not_found')
    given(created()).when(complete).thenRefused('contact_not_found')
  })

  it.each<ContactCommand>([
    { type: 'CreateContact', data: { contactId, details: {}, source: 'api' } },
    { type: 'UpdateContact', data: { contactId, details: { firstName: 'Augusta' } } },
    { type: 'RecordConsent', data: { contactId, consents: [says()] } },
    { type: 'SuppressContact', data: { contactId, channels: ['email'], reason: 'hard_bounce' } },
    { type: 'NoteEmailOutcome', data: { contactId, email: 'ada@example.com', outcome: 'delivered' } },
  ])('refuses every later $type', (command) => {
    given(created(), requested).when(command).thenRefused('contact_not_found')
    given(created(), requested, erased).when(command).thenRefused('contact_not_found')
  })

  it('gives both addresses up for good, and forgets what the state knew', () => {
    const before = created({ phone: '+972501234567', phoneClaimId: 'claim-2' })
    const state = [before, requested].reduce(evolveContact, unknownContact)
    expect([hasClaim(state, 'claim-1'), hasClaim(state, 'claim-2')]).toEqual([false, false])
    expect(state).toEqual({ ...unknownContact, contactId, erasure: 'requested', spentClaims: ['claim-1', 'claim-2'] })
    given(before, requested)
      .when({ type: 'AbandonClaim', data: { contactId, claimId: 'claim-2' } })
      .thenNothing()
  })

  it('makes every claim spent, with no event that says so', () => {
    const fence: ContactCommand = { type: 'AbandonClaim', data: { contactId, claimId: 'claim-9' } }
    given(created(), requested).when(fence).thenNothing()
    given(created(), requested, erased).when(fence).thenNothing()
  })
})
