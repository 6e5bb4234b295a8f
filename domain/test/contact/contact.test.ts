import { specFor } from '@tidings/testing/decider-spec'
import { describe, expect, it } from 'vitest'
import type { ContactEvent } from '../../src/contact/contact.events.ts'
import { contact, contactStream } from '../../src/contact/contact.ts'
import { asContactId, asWorkspaceId } from '../../src/ids.ts'
import { contactId, created, recorded, says } from './contact.testing.ts'

const { given } = specFor(contact)

const abandoned = (claimId: string): ContactEvent => ({ type: 'ContactClaimAbandoned', data: { contactId, claimId } })
const emailChanged = (email: string | null, claimId: string | null): ContactEvent => ({
  type: 'ContactEmailChanged',
  data: { contactId, email, claimId },
})

it("a contact's stream carries its workspace", () => {
  expect(contactStream(asWorkspaceId('w'), asContactId('c'))).toBe('contact-w-c')
})

describe('creating a contact', () => {
  it('fills what was not said with nothing', () => {
    given()
      .when({ type: 'CreateContact', data: { contactId, details: {}, source: 'api' } })
      .thenEvents(created({ firstName: null, tags: [], customProperties: {}, email: null, emailClaimId: null }))
  })

  it('records its address under its claim, and every consent that came with it', () => {
    given()
      .when({
        type: 'CreateContact',
        data: {
          contactId,
          email: { value: 'ada@example.com', claimId: 'claim-1' },
          phone: { value: '+972501234567', claimId: 'claim-2' },
          details: { firstName: 'Ada', tags: ['poet'], customProperties: { size: 'S', gone: null } },
          consents: [says(), says({ status: 'unsubscribed' }), says({ channel: 'sms', source: 'import' })],
          source: 'import',
        },
      })
      .thenEvents(
        created({ phone: '+972501234567', phoneClaimId: 'claim-2', source: 'import' }),
        recorded('never_subscribed', 'subscribed'),
        recorded('subscribed', 'unsubscribed'),
        recorded('never_subscribed', 'subscribed', { channel: 'sms', source: 'import' }),
      )
  })

  it('is lost when its claim was fenced: the contact never existed', () => {
    const email = { value: 'ada@example.com', claimId: 'claim-1' }
    given(abandoned('claim-1'))
      .when({ type: 'CreateContact', data: { contactId, email, details: {}, source: 'api' } })
      .thenRefused('claim_lost')
    given(abandoned('claim-1')).when({ type: 'UpdateContact', data: { contactId } }).thenRefused('contact_not_found')
  })
})

describe('changing a contact', () => {
  it('is refused when there is none', () => {
    given().when({ type: 'UpdateContact', data: { contactId } }).thenRefused('contact_not_found')
  })

  it('records only what differs', () => {
    given(created())
      .when({ type: 'UpdateContact', data: { contactId, details: { firstName: 'Ada', lastName: 'Lovelace', notes: 'x' } } })
      .thenEvents({ type: 'ContactDetailsChanged', data: { contactId, lastName: 'Lovelace', notes: 'x' } })
  })

  it('changes nothing when everything is so already', () => {
    const details = { firstName: 'Ada', tags: ['poet'], customProperties: { size: 'S' } }
    given(created()).when({ type: 'UpdateContact', data: { contactId, details } }).thenNothing()
    given(created()).when({ type: 'UpdateContact', data: { contactId } }).thenNothing()
  })

  it('takes a null for "not known"', () => {
    given(created())
      .when({ type: 'UpdateContact', data: { contactId, details: { firstName: null } } })
      .thenEvents({ type: 'ContactDetailsChanged', data: { contactId, firstName: null } })
  })

  it('replaces tags, and merges custom properties one level deep, a null deleting its key', () => {
    given(created({ customProperties: { size: 'S', shoe: { left: 40, right: 41 }, old: 1 } }))
      .when({
        type: 'UpdateContact',
        data: { contactId, details: { tags: ['countess'], customProperties: { shoe: { left: 42 }, old: null, new: [1] } } },
      })
      .thenEvents({
        type: 'ContactDetailsChanged',
        data: { contactId, tags: ['countess'], customProperties: { size: 'S', shoe: { left: 42 }, new: [1] } },
      })
  })

  it('sees no change in custom properties that only stand in another order', () => {
    given(created({ customProperties: { a: { x: 1, y: [2, null] }, b: 2 } }))
      .when({ type: 'UpdateContact', data: { contactId, details: { customProperties: { b: 2, a: { y: [2, null], x: 1 } } } } })
      .thenNothing()
  })

  it('moves to another address under its claim', () => {
    given(created())
      .when({ type: 'UpdateContact', data: { contactId, email: { value: 'countess@example.com', claimId: 'claim-2' } } })
      .thenEvents(emailChanged('countess@example.com', 'claim-2'))
  })

  it('does not move to the address it has, whatever claim comes with it', () => {
    given(created())
      .when({ type: 'UpdateContact', data: { contactId, email: { value: 'ada@example.com', claimId: 'claim-9' } } })
      .thenNothing()
  })

  it('gives its address up', () => {
    given(created({ phone: '+972501234567', phoneClaimId: 'claim-2' }))
      .when({ type: 'UpdateContact', data: { contactId, email: { value: null, claimId: null }, phone: { value: null, claimId: null } } })
      .thenEvents(emailChanged(null, null), { type: 'ContactPhoneChanged', data: { contactId, phone: null, claimId: null } })
  })

  it('knows nothing of a new address yet', () => {
    given(created(), { type: 'ContactEmailValidated', data: { contactId, state: 'valid' } })
      .when({ type: 'UpdateContact', data: { contactId, email: { value: 'new@example.com', claimId: 'claim-2' } } })
      .thenEvents(emailChanged('new@example.com', 'claim-2'), {
        type: 'ContactEmailValidated',
        data: { contactId, state: 'unknown' },
      })
  })

  it('is lost when the claim was fenced, or given up before', () => {
    const toY = (claimId: string) => ({ type: 'UpdateContact', data: { contactId, email: { value: 'y@example.com', claimId } } }) as const
    given(created(), abandoned('claim-2')).when(toY('claim-2')).thenRefused('claim_lost')
    given(created(), emailChanged('z@example.com', 'claim-3')).when(toY('claim-1')).thenRefused('claim_lost')
  })
})

describe('the fence of the claim protocol', () => {
  it('can be the only event of a stream', () => {
    given()
      .when({ type: 'AbandonClaim', data: { contactId, claimId: 'claim-1' } })
      .thenEvents(abandoned('claim-1'))
  })

  it('cannot be laid over an address that is held', () => {
    given(created())
      .when({ type: 'AbandonClaim', data: { contactId, claimId: 'claim-1' } })
      .thenRefused('claim_in_use')
  })

  it('is not needed over one that was given up', () => {
    given(created(), emailChanged(null, null))
      .when({ type: 'AbandonClaim', data: { contactId, claimId: 'claim-1' } })
      .thenNothing()
  })
})
