import { expect, it } from 'vitest'
import type { MessageStory } from '../../../src/api/calls.ts'
import { notSent } from '../../../src/screens/message/not-sent.ts'

const fact = (position: string, type: string, says = type) => ({ at: '2026-03-03T10:00:00.000Z', position, type, says })
const message = (status: string, failureReason: string | null): MessageStory['message'] => ({
  ...{ id: 'm', channel: 'email', status, failureReason, contactId: 'c', to: null, erased: false, waiting: null },
})

const consent = fact('1', 'ContactConsentRecorded', 'email consent unsubscribed')
const blocked = fact('2', 'ContactSuppressed', 'suppressed for email: hard_bounce')
const accepted = fact('3', 'EmailAccepted')
const suppressed = fact('4', 'MessageSuppressed', 'not sent, because the recipient is suppressed (hard_bounce)')

it('has the decision behind it, and by the consent and the blocks that stood then', () => {
  const later = fact('5', 'ContactConsentRecorded', 'email consent subscribed')
  const facts = [consent, blocked, accepted, suppressed, later]
  expect(notSent({ message: message('suppressed', 'hard_bounce'), facts })).toEqual({
    reason: 'hard_bounce',
    facts: [consent, blocked, suppressed],
  })
})

it('has a contact of whom nothing was said from its creation', () => {
  const created = fact('1', 'ContactCreated', 'email consent never_subscribed, nothing was said')
  const skipped = fact('4', 'MessageSkipped')
  expect(notSent({ message: message('skipped', 'no_consent'), facts: [created, accepted, skipped] })?.facts).toEqual([created, skipped])
})

it('is nothing of what was sent, waits, or failed at the provider', () => {
  const sent = fact('4', 'MessageSent')
  expect(notSent({ message: message('delivered', null), facts: [accepted, sent] })).toBeNull()
  expect(notSent({ message: message('queued', null), facts: [accepted] })).toBeNull()
  expect(notSent({ message: message('failed', 'undeliverable'), facts: [accepted, sent, fact('5', 'MessageFailed')] })).toBeNull()
})
