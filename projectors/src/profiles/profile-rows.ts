import { normalizeEmail } from '@tidings/addresses'
import type { Recorded } from '@tidings/codec'
import { type ContactCreated, type ContactDetailsChanged, detailsIn, noDetails } from '@tidings/domain'
import { type ProfileRow, type ProfileSearchRow, searchTextOf, toColumns, toDetails } from '@tidings/read-models'

/** The row of a contact that was just created: no consent said yet, nothing suppressed. An erased person's is empty. */
export function newProfile({ data, meta: { workspaceId, at } }: Recorded<ContactCreated>): ProfileRow<string> {
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
export function searchRow(profile: ProfileRow<string>): ProfileSearchRow<string> {
  const { workspace_id, id, created_at } = profile
  return { workspace_id, id, created_at, ...searchTextOf(profile) }
}

/** The row after its details changed; of an erased person's event they are empty. */
export function withDetails(profile: ProfileRow<string>, data: ContactDetailsChanged['data']): ProfileRow<string> {
  return { ...profile, ...toColumns({ ...toDetails(profile), ...detailsIn(data) }) }
}
