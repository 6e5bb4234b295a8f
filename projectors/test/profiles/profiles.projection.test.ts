import { asContactId, type ContactEvent } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import { expect, test } from 'vitest'
import { profilesProjection } from '../../src/profiles/profiles.projection.ts'
import { moment, recorded, WORKSPACE } from '../recorded.ts'

const contactId = asContactId('0192f0c1-0000-7000-8000-00000000000b')

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
  expect(totals(rows)).toEqual({ all: 1n, 'email:never_subscribed': 1n, 'sms:never_subscribed': 1n, searched: 1n })
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
  expect(totals(rows)).toEqual({ all: 1n, 'email:never_subscribed': 0n, 'email:subscribed': 1n, 'sms:never_subscribed': 1n, searched: 1n })
})

test('what a search looks through follows the address, the number and the names, and what else changes is at most counted', () => {
  const texts = (...events: readonly ContactEvent[]) => {
    const rows = after(...events)
    return [rows.profile_search, totals(rows).searched]
  }
  const searched = { workspace_id: WORKSPACE, id: contactId, created_at: moment(1), code: null }
  expect(
    texts(consent('email', 'never_subscribed', 'subscribed'), { type: 'ContactDetailsChanged', data: { contactId, notes: 'x' } }),
  ).toEqual([[{ ...searched, text: 'ann@acme.example\u{1}ann' }], 2n])
  expect(
    texts(
      { type: 'ContactPhoneChanged', data: { contactId, phone: '+97250', claimId: null } },
      { type: 'ContactEmailChanged', data: { contactId, email: null, claimId: null } },
      { type: 'ContactDetailsChanged', data: { contactId, firstName: 'ANNA', lastName: 'כהן' } },
    ),
  ).toEqual([[{ ...searched, text: '+97250\u{1}anna\u{1}כהן', code: '+97250\u{1}anna\u{1}RKV' }], 4n])
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
  const notes = erased ? { firstName: null, lastName: null, notes: null } : { notes: 'x' }
  const events: readonly ContactEvent[] = [
    created,
    { type: 'ContactDetailsChanged', data: { contactId, ...notes } },
    consent('email', 'never_subscribed', 'subscribed'),
    { type: 'ContactSuppressed', data: { contactId, channel: 'sms', reason: 'sms_stop' } },
    { type: 'ContactSuppressionLifted', data: { contactId, channel: 'sms' } },
    { type: 'ContactSuppressed', data: { contactId, channel: 'email', reason: 'hard_bounce' } },
    { type: 'ContactEmailValidated', data: { contactId, state: 'valid' } },
    { type: 'ContactErasureRequested', data: { contactId } },
    { type: 'ContactErased', data: { contactId } },
  ]
  const rows = foldAll(profilesProjection, recorded(events, erased))
  expect([rows.profiles, rows.profile_search, rows.suppressions]).toEqual([[], [], []])
  const counted = { all: 0n, 'email:never_subscribed': 0n, 'email:subscribed': 0n, 'sms:never_subscribed': 0n }
  expect(totals(rows)).toEqual({ ...counted, searched: 3n, erased: 1n })
})

test('a contact whose claim was fenced before it came to be has no row', () => {
  const fence: ContactEvent = { type: 'ContactClaimAbandoned', data: { contactId, claimId: contactId } }
  expect(foldAll(profilesProjection, recorded([fence]))).toEqual({ profiles: [], profile_search: [], profile_totals: [], suppressions: [] })
})

test('an address that a log from before M46 has in another spelling is found in the one form', () => {
  const old = { ...created, data: { ...created.data, email: 'ann@xn--bcher-kva.example' } } as ContactEvent
  const rowsOf = (...events: readonly ContactEvent[]) => foldAll(profilesProjection, recorded(events))
  expect(rowsOf(old).profiles).toMatchObject([{ email: 'ann@bücher.example' }])
  expect(rowsOf(old).profile_search).toMatchObject([{ text: expect.stringContaining('ann@bücher.example') }])
  const moved: ContactEvent = { type: 'ContactEmailChanged', data: { contactId, email: 'ann@\uff42\u00fccher.example', claimId: 'c' } }
  expect(rowsOf(created, moved).profiles).toMatchObject([{ email: 'ann@bücher.example' }])
})
