import type { Profile } from '@tidings/contracts'
import type {
  ConsentChannel,
  ConsentStatus,
  ContactDetails,
  ContactId,
  EmailValidationState,
  SuppressionChannel,
  SuppressionReason,
  WorkspaceId,
} from '@tidings/domain'

/** The columns of a contact's details. */
type DetailColumns = {
  first_name: string | null
  last_name: string | null
  timezone: string | null
  locale: string | null
  notes: string | null
  tags: ContactDetails['tags']
  custom_properties: ContactDetails['customProperties']
}

export function toColumns(details: ContactDetails): DetailColumns {
  const { firstName, lastName, timezone, locale, notes, tags, customProperties } = details
  return { first_name: firstName, last_name: lastName, timezone, locale, notes, tags, custom_properties: customProperties }
}

export function toDetails({ first_name, last_name, timezone, locale, notes, tags, custom_properties }: DetailColumns): ContactDetails {
  return { firstName: first_name, lastName: last_name, timezone, locale, notes, tags, customProperties: custom_properties }
}

export type ProfileRow<Time = Date> = DetailColumns & {
  workspace_id: WorkspaceId
  id: ContactId
  email: string | null
  phone: string | null
  email_consent: ConsentStatus
  sms_consent: ConsentStatus
  push_consent: ConsentStatus
  email_consent_at: Time | null
  sms_consent_at: Time | null
  push_consent_at: Time | null
  email_validation_state: EmailValidationState
  rfm_tier: Profile['rfmTier']
  email_suppressed: boolean
  sms_suppressed: boolean
  created_at: Time
  updated_at: Time
}

/** What a search looks through, in a table of its own: narrow, and not written when a consent changes. See `SearchText`. */
export type ProfileSearchRow<Time = Date> = {
  workspace_id: WorkspaceId
  id: ContactId
  created_at: Time
  text: string
  code: string | null
}

/**
 * Exact counts that the profiles projection maintains. `bucket`: `all`, or `<email|sms>:<consent>`; and how often something came that changes what
 * is remembered about a workspace's profiles: `searched` whatever may change a row of `profile_search`, `erased` a person that was erased.
 */
export type ProfileTotalRow = { workspace_id: WorkspaceId; bucket: ProfileBucket | ProfileChange; total: bigint }
export type ProfileBucket = 'all' | `${'email' | 'sms'}:${ConsentStatus}`
export type ProfileChange = 'searched' | 'erased'

/** Every reason that blocks the channel; the row goes when they are lifted. */
export type SuppressionRow<Time = Date> = {
  workspace_id: WorkspaceId
  contact_id: ContactId
  channel: SuppressionChannel
  reasons: readonly SuppressionReason[]
  updated_at: Time
}

/** One line each time a consent was said, in the order of `revision` (N188). */
export type ConsentHistoryRow<Time = Date> = {
  workspace_id: WorkspaceId
  contact_id: ContactId
  revision: number
  channel: ConsentChannel
  from_status: ConsentStatus
  to_status: ConsentStatus
  source: string
  at: Time
  actor: string
  ip: string | null
  user_agent: string | null
  request_id: string
}
