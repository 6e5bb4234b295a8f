import { normalizeEmail } from '@tidings/addresses'
import type { Recorded } from '@tidings/codec'
import type { ContactCreated, ContactDetails, ContactDetailsChanged } from '@tidings/domain'
import { type ProfileRow, type ProfileSearchRow, searchTextOf } from '@tidings/read-models'

/** The row of a contact that was just created: no consent said yet, nothing suppressed. An erased person's is empty. */
export function newProfile({ data, meta: { workspaceId, at } }: Recorded<ContactCreated>): ProfileRow<string> {
  return {
    workspace_id: workspaceId,
    id: data.contactId,
    email: data.email === null ? null : normalizeEmail(data.email),
    phone: data.phone,
    first_name: data.firstName,
    last_name: data.lastName,
    timezone: data.timezone,
    locale: data.locale,
    email_consent: 'never_subscribed',
    sms_consent: 'never_subscribed',
    push_consent: 'never_subscribed',
    email_consent_at: null,
    sms_consent_at: null,
    push_consent_at: null,
    email_validation_state: 'unknown',
    custom_properties: data.customProperties ?? {},
    tags: data.tags ?? [],
    rfm_tier: null,
    notes: data.notes,
    email_suppressed: false,
    sms_suppressed: false,
    created_at: at,
    updated_at: at,
  }
}

/** What a search looks through of it. */
export function searchRow(profile: ProfileRow<string>): ProfileSearchRow<string> {
  const { workspace_id, id, created_at } = profile
  return { workspace_id, id, created_at, ...searchTextOf(profile) }
}

const columns: { readonly [Field in keyof ContactDetails]: keyof ProfileRow } = {
  firstName: 'first_name',
  lastName: 'last_name',
  timezone: 'timezone',
  locale: 'locale',
  notes: 'notes',
  tags: 'tags',
  customProperties: 'custom_properties',
}

/** The columns of the fields that the event holds; an erased person's are null where the column may be, else empty. */
export function changedDetails(data: ContactDetailsChanged['data']): Partial<ProfileRow<string>> {
  const changed: Record<string, unknown> = {}
  for (const [field, column] of Object.entries(columns)) {
    const value = data[field as keyof ContactDetails]
    if (value !== undefined) changed[column] = value ?? emptyOf(field)
  }
  return changed
}

const emptyOf = (field: string): unknown => (field === 'tags' ? [] : field === 'customProperties' ? {} : null)
