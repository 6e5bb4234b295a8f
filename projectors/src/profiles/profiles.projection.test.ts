import type { ContactEvent } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import { expect, test } from 'vitest'
import { moment, recorded, WORKSPACE } from '../../test/recorded.ts'
import { profilesProjection } from './profiles.projection.ts'

const contactId = '0192f0c1-0000-7000-8000-00000000000b'

const created: ContactEvent = {
  type: 'ContactCreated',
  data: {
    contactId,
    email: 'ann@acme.example',
    emailClaimId: null,
    phone: null,
    phoneClaimId: null,
    source: 'api',
    firstName: 'Ann',
    lastName: null,
    timezone: null,
    locale: 'en',
    notes: null,
    tags: ['vip'],
    customProperties: { size: 's' },
  },
}

const consent = (
  channel: 'email' | 'sms' | 'push',
  from: 'never_subscribed' | 'subscribed',
  to: 'subscribed' | 'unsubscribed',
): ContactEvent => ({
  type: 'ContactConsentRecorded',
  data: { contactId, channel, from, to, source: 'api', ip: null, userAgent: null, message: null },
})

const after = (...events: readonly ContactEvent[]) => foldAll(profilesProjection, recorded([created, ...events]))
const totals = (rows: ReturnType<typeof after>) =>
  Object.fromEntries((rows.profile_totals as { bucket: string; total: bigint }[]).map(({ bucket, total }) => [bucket, total]))

test('a new contact has said nothing about consent, is not suppressed and is counted', () => {
  const rows = after()
  expect(rows.profiles).toMatchObject([
    {
      workspace_id: WORKSPACE,
      id: contactId,
      email: 'ann@acme.example',
      phone: null,
      first_name: 'Ann',
      last_name: null,
      email_consent: 'never_subscribed',
      email_consent_at: null,
      email_validation_state: 'unknown',
      email_suppressed: false,
      sms_suppressed: false,
      tags: ['vip'],
      custom_properties: { size: 's' },
      created_at: moment(1),
      updated_at: moment(1),
    },
  ])
  expect(totals(rows)).toEqual({ all: 1n, 'email:never_subscribed': 1n, 'sms:never_subscribed': 1n })
})

test('a change touches what it names and the time, nothing else', () => {
  const { profiles } = after({ type: 'ContactDetailsChanged', data: { contactId, lastName: 'Lee', notes: null, tags: [] } })
  expect(profiles).toMatchObject([{ first_name: 'Ann', last_name: 'Lee', notes: null, tags: [], locale: 'en', updated_at: moment(2) }])
})

test('email and phone follow their changes, null included', () => {
  const { profiles } = after(
    { type: 'ContactPhoneChanged', data: { contactId, phone: '+4915112345678', claimId: null } },
    { type: 'ContactEmailChanged', data: { contactId, email: null, claimId: null } },
  )
  expect(profiles).toMatchObject([{ email: null, phone: '+4915112345678' }])
})

test('consent moves the contact from one count to the other; saying it again only stamps the time', () => {
  const again: ContactEvent = { ...consent('email', 'subscribed', 'subscribed') }
  const rows = after(consent('email', 'never_subscribed', 'subscribed'), again, consent('push', 'never_subscribed', 'subscribed'))
  expect(rows.profiles).toMatchObject([
    {
      email_consent: 'subscribed',
      email_consent_at: moment(3),
      push_consent: 'subscribed',
      push_consent_at: moment(4),
      sms_consent_at: null,
    },
  ])
  expect(totals(rows)).toEqual({ all: 1n, 'email:never_subscribed': 0n, 'email:subscribed': 1n, 'sms:never_subscribed': 1n })
})

test('a channel is suppressed while any reason is recorded, and free of all of them when it is lifted', () => {
  const suppressed: readonly ContactEvent[] = [
    { type: 'ContactSuppressed', data: { contactId, channel: 'email', reason: 'hard_bounce' } },
    { type: 'ContactSuppressed', data: { contactId, channel: 'email', reason: 'global_blocklist' } },
    { type: 'ContactSuppressed', data: { contactId, channel: 'email', reason: 'hard_bounce' } },
  ]
  expect(after(...suppressed)).toMatchObject({
    profiles: [{ email_suppressed: true, sms_suppressed: false }],
    suppressions: [{ contact_id: contactId, channel: 'email', reasons: ['hard_bounce', 'global_blocklist'] }],
  })
  expect(after(...suppressed, { type: 'ContactSuppressionLifted', data: { contactId, channel: 'email' } })).toMatchObject({
    profiles: [{ email_suppressed: false }],
    suppressions: [],
  })
})

test.each([
  ['after its row was shown', false],
  ['where a rebuild finds the key destroyed', true],
])('an erased contact has no row and is not counted, %s', (_, erased) => {
  const events: readonly ContactEvent[] = [
    created,
    consent('email', 'never_subscribed', 'subscribed'),
    { type: 'ContactSuppressed', data: { contactId, channel: 'sms', reason: 'sms_stop' } },
    { type: 'ContactSuppressionLifted', data: { contactId, channel: 'sms' } },
    { type: 'ContactSuppressed', data: { contactId, channel: 'email', reason: 'hard_bounce' } },
    { type: 'ContactEmailValidated', data: { contactId, state: 'valid' } },
    { type: 'ContactErasureRequested', data: { contactId } },
    { type: 'ContactErased', data: { contactId } },
  ]
  const { profiles, profile_totals, suppressions } = foldAll(profilesProjection, recorded(events, erased))
  expect([profiles, suppressions]).toEqual([[], []])
  expect(profile_totals).toHaveLength(4)
  expect(profile_totals).toEqual(profile_totals?.map((row) => ({ ...row, total: 0n })))
})

test('a contact whose claim was fenced before it came to be has no row', () => {
  const fence: ContactEvent = { type: 'ContactClaimAbandoned', data: { contactId, claimId: contactId } }
  expect(foldAll(profilesProjection, recorded([fence]))).toEqual({ profiles: [], profile_totals: [], suppressions: [] })
})
