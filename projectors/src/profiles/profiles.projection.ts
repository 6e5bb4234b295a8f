import { normalizeEmail } from '@tidings/addresses'
import type { Recorded } from '@tidings/codec'
import {
  type ConsentChannel,
  type ConsentStatus,
  type ContactConsentRecorded,
  type ContactCreated,
  type ContactDetailsChanged,
  type ContactEmailChanged,
  type ContactEmailValidated,
  type ContactErasureRequested,
  type ContactId,
  type ContactPhoneChanged,
  type ContactSuppressed,
  type ContactSuppressionLifted,
  detailsIn,
  noDetails,
  reasonsLeft,
  saidAt,
  type WorkspaceId,
} from '@tidings/domain'
import { defineProjection, type Rows, row, rowsWhere } from '@tidings/projections'
import {
  type ProfileBucket,
  type ProfileChange,
  type ProfileRow,
  type ProfileSearchRow,
  searchTextOf,
  toColumns,
  toDetails,
} from '@tidings/read-models'
import { profileSearch, profiles, profileTotals, suppressions } from './profiles.tables.ts'

type Events =
  | ContactCreated
  | ContactDetailsChanged
  | ContactEmailChanged
  | ContactPhoneChanged
  | ContactConsentRecorded
  | ContactSuppressed
  | ContactSuppressionLifted
  | ContactEmailValidated
  | ContactErasureRequested

type EventOfContact = Readonly<{ data: Readonly<{ contactId: ContactId }>; meta: Readonly<{ workspaceId: WorkspaceId; at: string }> }>

/** The first consents of a new contact (N188), and so the buckets that it is counted in. */
const NEW: readonly (ProfileBucket | ProfileChange)[] = ['all', 'email:never_subscribed', 'sms:never_subscribed', 'searched']

const COUNTED: readonly (ProfileBucket | ProfileChange)[] = [
  'all',
  'searched',
  'erased',
  ...(['never_subscribed', 'subscribed', 'unsubscribed', 'cleaned'] as const).flatMap((status) => [
    `email:${status}` as const,
    `sms:${status}` as const,
  ]),
]

const bucketOf = (channel: ConsentChannel, status: ConsentStatus): ProfileBucket | null =>
  channel === 'push' ? null : `${channel}:${status}`

/**
 * Profiles as the API shows them, found by their addresses in the form of M46, whatever form a log from before has; their exact totals, and what blocks their channels.
 * An erasure takes the row away. Where a rebuild finds the key destroyed, the contact has an empty row until then, and so the totals of
 * before; what still comes in its stream finds no row and changes nothing.
 */
export const profilesProjection = defineProjection<Events>({
  name: 'profiles',
  version: 4,
  byStream: 'contact',
  tables: [profiles, profileSearch, profileTotals, suppressions],
  // A consent's address and agent are the consent history's.
  personal: ['ContactCreated', 'ContactDetailsChanged', 'ContactEmailChanged', 'ContactPhoneChanged'],
  reads: ({ type, data, meta: { workspaceId } }) => {
    if (type === 'ContactCreated') return NEW.map((bucket) => row(profileTotals, workspaceId, bucket))
    const profile = row(profiles, workspaceId, data.contactId)
    if (isSearched(type)) return [profile, row(profileTotals, workspaceId, 'searched')]
    if (type === 'ContactErasureRequested')
      return [profile, suppressionsOf(workspaceId, data.contactId), ...COUNTED.map((bucket) => row(profileTotals, workspaceId, bucket))]
    if (type === 'ContactSuppressed' || type === 'ContactSuppressionLifted')
      return [profile, row(suppressions, workspaceId, data.contactId, data.channel)]
    if (type !== 'ContactConsentRecorded') return [profile]
    const buckets = [bucketOf(data.channel, data.from), bucketOf(data.channel, data.to)]
    return [profile, ...buckets.flatMap((bucket) => (bucket === null ? [] : [row(profileTotals, workspaceId, bucket)]))]
  },
  on: {
    ContactCreated: (event, rows) => {
      const profile = newProfile(event)
      rows.create(profiles, profile)
      rows.create(profileSearch, searchRow(profile))
      for (const bucket of NEW) count(rows, event, { bucket, by: 1n })
    },
    ContactDetailsChanged: (event, rows) => {
      change(event, rows, (known) => withDetails(known, event.data))
      countSearched(event, rows)
      // An event of an erased person counts even if it named neither: the text is empty until the row is deleted.
      if ('firstName' in event.data || 'lastName' in event.data) writeSearch(event, rows)
    },
    ContactEmailChanged: (event, rows) => {
      const { email } = event.data
      change(event, rows, { email: email === null ? null : normalizeEmail(email) })
      countSearched(event, rows)
      writeSearch(event, rows)
    },
    ContactPhoneChanged: (event, rows) => {
      change(event, rows, { phone: event.data.phone })
      countSearched(event, rows)
      writeSearch(event, rows)
    },
    ContactConsentRecorded: (event, rows) => recordConsent(event, rows),
    ContactSuppressed: (event, rows) => suppress(event, rows),
    ContactSuppressionLifted: (event, rows) => lift(event, rows),
    ContactEmailValidated: (event, rows) => change(event, rows, { email_validation_state: event.data.state }),
    ContactErasureRequested: (event, rows) => erase(event, rows),
  },
})

const isSearched = (type: Events['type']): boolean =>
  type === 'ContactDetailsChanged' || type === 'ContactEmailChanged' || type === 'ContactPhoneChanged'

/** Counts an event by its type, whatever it changed: an erased person's has all its fields, null, and the counter must come out the same. */
const countSearched = (event: EventOfContact, rows: Rows): void => {
  if (rows.get(profiles, event.meta.workspaceId, event.data.contactId) !== undefined) count(rows, event, { bucket: 'searched', by: 1n })
}

/** Written also where its text stays the same: by its position, what is remembered of counts and places is known to be out of date. */
const writeSearch = (event: EventOfContact, rows: Rows): void => {
  const known = rows.get(profiles, event.meta.workspaceId, event.data.contactId)
  if (known !== undefined) rows.put(profileSearch, searchRow(known))
}

const suppressionsOf = (workspaceId: WorkspaceId, contactId: ContactId) =>
  rowsWhere(suppressions, { workspace_id: workspaceId, contact_id: contactId })

const erase = (event: EventOfContact, rows: Rows): void => {
  const { workspaceId } = event.meta
  const { contactId } = event.data
  const known = rows.get(profiles, workspaceId, contactId)
  if (known === undefined) return
  rows.delete(profiles, workspaceId, contactId)
  rows.delete(profileSearch, workspaceId, contactId)
  rows.deleteAll(suppressionsOf(workspaceId, contactId))
  for (const bucket of ['all', bucketOf('email', known.email_consent), bucketOf('sms', known.sms_consent)] as const)
    if (bucket !== null) count(rows, event, { bucket, by: -1n })
  for (const bucket of ['searched', 'erased'] as const) count(rows, event, { bucket, by: 1n })
}

type Changes = Partial<ProfileRow<string>> | ((known: ProfileRow<string>) => ProfileRow<string>)

const change = ({ data, meta: { workspaceId, at } }: EventOfContact, rows: Rows, changes: Changes): void => {
  const known = rows.get(profiles, workspaceId, data.contactId)
  if (known === undefined) return
  rows.put(profiles, { ...known, ...(typeof changes === 'function' ? changes(known) : changes), updated_at: at })
}

type Counting = Readonly<{ bucket: ProfileBucket | ProfileChange; by: bigint }>

const count = (rows: Rows, { meta: { workspaceId } }: EventOfContact, { bucket, by }: Counting): void => {
  const total = (rows.get(profileTotals, workspaceId, bucket)?.total ?? 0n) + by
  rows.put(profileTotals, { workspace_id: workspaceId, bucket, total })
}

/** A repeated value stamps the time anew (M19). */
const recordConsent = (event: EventOfContact & ContactConsentRecorded, rows: Rows): void => {
  const { channel, to } = event.data
  const known = rows.get(profiles, event.meta.workspaceId, event.data.contactId)
  if (known === undefined) return
  const before = bucketOf(channel, known[`${channel}_consent`])
  const after = bucketOf(channel, to)
  change(event, rows, { [`${channel}_consent`]: to, [`${channel}_consent_at`]: saidAt(event) })
  if (before === null || after === null || before === after) return
  count(rows, event, { bucket: before, by: -1n })
  count(rows, event, { bucket: after, by: 1n })
}

const suppress = (event: EventOfContact & ContactSuppressed, rows: Rows): void => {
  const { contactId, channel, reason } = event.data
  const { workspaceId, at } = event.meta
  if (rows.get(profiles, workspaceId, contactId) === undefined) return
  change(event, rows, suppressedColumn(channel, true))
  const reasons = rows.get(suppressions, workspaceId, contactId, channel)?.reasons ?? []
  rows.put(suppressions, {
    workspace_id: workspaceId,
    contact_id: contactId,
    channel,
    reasons: reasons.includes(reason) ? reasons : [...reasons, reason],
    updated_at: at,
  })
}

/** Those of some reasons, or all. */
const lift = (event: EventOfContact & ContactSuppressionLifted, rows: Rows): void => {
  const { contactId, channel } = event.data
  const { workspaceId, at } = event.meta
  if (rows.get(profiles, workspaceId, contactId) === undefined) return
  const known = rows.get(suppressions, workspaceId, contactId, channel)
  const reasons = reasonsLeft(known?.reasons ?? [], event)
  change(event, rows, suppressedColumn(channel, reasons.length > 0))
  if (known === undefined || reasons.length === 0) rows.delete(suppressions, workspaceId, contactId, channel)
  else rows.put(suppressions, { ...known, reasons, updated_at: at })
}

const suppressedColumn = (channel: 'email' | 'sms', suppressed: boolean): Partial<ProfileRow<string>> =>
  channel === 'email' ? { email_suppressed: suppressed } : { sms_suppressed: suppressed }

/** The row of a contact that was just created: no consent said yet, nothing suppressed. An erased person's is empty. */
function newProfile({ data, meta: { workspaceId, at } }: Recorded<ContactCreated>): ProfileRow<string> {
  return {
    workspace_id: workspaceId,
    id: data.contactId,
    email: data.email === null ? null : normalizeEmail(data.email),
    phone: data.phone,
    ...toColumns({ ...noDetails, ...detailsIn(data) }),
    email_consent: 'never_subscribed',
    sms_consent: 'never_subscribed',
    push_consent: 'never_subscribed',
    email_consent_at: null,
    sms_consent_at: null,
    push_consent_at: null,
    email_validation_state: 'unknown',
    rfm_tier: null,
    email_suppressed: false,
    sms_suppressed: false,
    created_at: at,
    updated_at: at,
  }
}

/** The text that a search looks through. */
function searchRow(profile: ProfileRow<string>): ProfileSearchRow<string> {
  const { workspace_id, id, created_at } = profile
  return { workspace_id, id, created_at, ...searchTextOf(profile) }
}

/** The row after its details changed; of an erased person's event they are empty. */
function withDetails(profile: ProfileRow<string>, data: ContactDetailsChanged['data']): ProfileRow<string> {
  return { ...profile, ...toColumns({ ...toDetails(profile), ...detailsIn(data) }) }
}
