import { specFor } from '@tidings/testing/decider-spec'
import { describe, expect, it } from 'vitest'
import type { ContactEvent } from '../../src/contact/contact.events.ts'
import { type ContactCommand, contact } from '../../src/contact/contact.ts'
import { MAX_BROWSERS } from '../../src/contact/contact-state.ts'
import { contactId, created, recorded, says } from './contact.testing.ts'

const { given } = specFor(contact)

const consent = says({ channel: 'push', source: 'storefront_popup', ip: '192.0.2.1', userAgent: 'shop' })
const add = (endpointHash: string, registration = 1): ContactCommand => ({
  type: 'AddBrowser',
  data: { contactId, endpointHash, registration, consent },
})
const remove = (endpointHash: string, registration = 1, because: 'gone' | 'moved' = 'gone'): ContactCommand => ({
  type: 'RemoveBrowser',
  data: { contactId, endpointHash, registration, because },
})
const added = (endpointHash: string, registration = 1): ContactEvent => ({
  type: 'ContactBrowserAdded',
  data: { contactId, endpointHash, registration },
})
const removed = (endpointHash: string): ContactEvent => ({ type: 'ContactBrowserRemoved', data: { contactId, endpointHash } })
const { channel, source, ip, userAgent } = consent
const consented = (from: 'never_subscribed' | 'subscribed' | 'unsubscribed' | 'cleaned') =>
  recorded(from, 'subscribed', { channel, source, ip, userAgent })
const cleaned = (from: 'subscribed' | 'unsubscribed') => recorded(from, 'cleaned', { channel: 'push', source: 'push_endpoint_gone' })

describe('a browser', () => {
  it('that registers is one of the contact, and its consent with the evidence', () => {
    given(created())
      .when(add('one'))
      .thenEachTime([added('one'), consented('never_subscribed')], [consented('subscribed')])
  })

  it('that registers again consents again, after whatever was said since', () => {
    given(created(), added('one'), recorded('subscribed', 'unsubscribed', { channel: 'push' }))
      .when(add('one', 2))
      .thenEachTime([added('one', 2), consented('unsubscribed')], [consented('subscribed')])
  })

  it('whose registrations arrive in another order stays with the later one', () => {
    given(created(), added('one', 2))
      .when(add('one', 1))
      .thenEachTime([consented('never_subscribed')], [consented('subscribed')])
  })

  it('of an unknown contact is refused', () => {
    given().when(add('one')).thenRefused('contact_not_found')
  })

  it('that is gone takes the consent along only if it was the last', () => {
    const two = [created(), added('one'), added('two'), consented('never_subscribed')]
    given(...two)
      .when(remove('one'))
      .thenEvents(removed('one'))
    given(...two, removed('one'))
      .when(remove('two'))
      .thenEvents(removed('two'), cleaned('subscribed'))
    given(created(), added('one'), consented('never_subscribed'), recorded('subscribed', 'unsubscribed', { channel: 'push' }))
      .when(remove('one'))
      .thenEvents(removed('one'), cleaned('unsubscribed'))
  })

  it('that has registered again since is not gone', () => {
    given(created(), added('one', 1), added('one', 2)).when(remove('one', 1)).thenNothing()
    given(created()).when(remove('one')).thenNothing()
  })

  it('that moved to another contact leaves the consent as it is', () => {
    given(created(), added('one'), consented('never_subscribed'))
      .when(remove('one', 1, 'moved'))
      .thenEvents(removed('one'))
  })

  it('is forgotten when twenty others have registered later', () => {
    const many = Array.from({ length: MAX_BROWSERS + 1 }, (_, i) => added(`browser ${i}`))
    const { browsers } = [created(), ...many].reduce(contact.evolve, contact.initialState)
    expect(browsers).toHaveLength(MAX_BROWSERS)
    expect(browsers[0]?.endpointHash).toBe('browser 1')
  })
})
