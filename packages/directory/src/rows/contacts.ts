import type { ContactEvent, ContactId, Json, SuppressionReason } from '@tidings/domain'
import { type ChangedBy, createReferenceCache, type ReferenceCache } from '@tidings/log-views'
import type { Pool } from 'pg'
import type { DirectoryContact } from '../directory.ts'
import { rowsAtCheckpoint, splitKeys } from './at-checkpoint.ts'

type DirectoryContactRow = Readonly<{
  n: number
  id: ContactId
  email: string | null
  phone: string | null
  first_name: string | null
  last_name: string | null
  custom_properties: Readonly<Record<string, Json>>
  email_reasons: readonly SuppressionReason[] | null
  sms_reasons: readonly SuppressionReason[] | null
}>

const toContact = (row: DirectoryContactRow): DirectoryContact => ({
  contactId: row.id,
  email: row.email,
  phone: row.phone,
  firstName: row.first_name,
  lastName: row.last_name,
  customProperties: row.custom_properties,
  emailSuppressions: row.email_reasons ?? [],
  smsSuppressions: row.sms_reasons ?? [],
})

const reasons = (channel: 'email' | 'sms'): string => `case when p.${channel}_suppressed then (select s.reasons from read.suppressions s
  where s.workspace_id = p.workspace_id and s.contact_id = p.id and s.channel = '${channel}') end as ${channel}_reasons`

/** The columns of a contact's row (`DirectoryContact`). Its creation changes nothing that is cached: what does not exist never is. */
const invalidates: ChangedBy<ContactEvent> = {
  ContactCreated: 'nothing',
  ContactDetailsChanged: contactIdIn,
  ContactEmailChanged: contactIdIn,
  ContactPhoneChanged: contactIdIn,
  ContactConsentRecorded: 'nothing',
  ContactSuppressed: contactIdIn,
  ContactSuppressionLifted: contactIdIn,
  ContactEmailValidated: 'nothing',
  ContactBrowserAdded: 'nothing',
  ContactBrowserRemoved: 'nothing',
  ContactClaimAbandoned: 'nothing',
  ContactErasureRequested: contactIdIn,
  ContactErased: contactIdIn,
}

function contactIdIn({ data }: Readonly<{ data: Readonly<{ contactId: ContactId }> }>): readonly string[] {
  return [data.contactId]
}

/** A person whose key is destroyed is none, also where the projection is behind: the erasure is committed there first. */
const ERASED = `exists (select from keys.subject_key k
  where k.workspace_id = p.workspace_id and k.subject = 'contact:' || p.id and k.wrapped is null)`

/** Contacts found by one of their columns, under `<workspaceId>/<value>`. */
export function contactsBy(column: 'id' | 'email' | 'phone', pool: Pool): ReferenceCache<DirectoryContact> {
  return createReferenceCache({
    name: `contacts by ${column}`,
    invalidates,
    tagsOf: ({ contactId }) => [contactId],
    load: rowsAtCheckpoint<DirectoryContactRow, DirectoryContact>(pool, {
      name: `directory contacts by ${column}`,
      projections: ['profiles'],
      values: splitKeys,
      toEntry: toContact,
      // A log from before M46 may have two contacts of one address: the older is found, in every process.
      select: `select distinct on (keys.n) keys.n::int as n, p.id, p.email, p.phone, p.first_name, p.last_name, p.custom_properties, ${reasons('email')}, ${reasons('sms')}
        from unnest($2::uuid[], $3::${column === 'id' ? 'uuid' : 'text'}[]) with ordinality keys(workspace_id, value, n)
        join read.profiles p on p.workspace_id = keys.workspace_id and p.${column} = keys.value
        where not ${ERASED} order by keys.n, p.id`,
    }),
  })
}
