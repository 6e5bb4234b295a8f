import type { ConsentChannel, ConsentStatus, EmailValidationState, Json, SuppressionChannel, SuppressionReason } from '@tidings/domain'

export type ProfileRow<Time = Date> = {
  workspace_id: string
  id: string
  email: string | null
  phone: string | null
  first_name: string | null
  last_name: string | null
  timezone: string | null
  locale: string | null
  email_consent: ConsentStatus
  sms_consent: ConsentStatus
  push_consent: ConsentStatus
  email_consent_at: Time | null
  sms_consent_at: Time | null
  push_consent_at: Time | null
  email_validation_state: EmailValidationState
  custom_properties: Readonly<Record<string, Json>>
  tags: readonly string[]
  rfm_tier: string | null
  notes: string | null
  email_suppressed: boolean
  sms_suppressed: boolean
  created_at: Time
  updated_at: Time
}

/** What a search looks through, in a table of its own: narrow, and not written when a consent changes. See `SearchText`. */
export type ProfileSearchRow<Time = Date> = { workspace_id: string; id: string; created_at: Time; text: string; code: string | null }

/**
 * Exact counts that the profiles projection maintains. `bucket`: `all`, or `<email|sms>:<consent>`; and how often something came that changes what
 * is remembered about a workspace's profiles: `searched` whatever may change a row of `profile_search`, `erased` a person that was erased.
 */
export type ProfileTotalRow = { workspace_id: string; bucket: ProfileBucket | ProfileChange; total: bigint }
export type ProfileBucket = 'all' | `${'email' | 'sms'}:${ConsentStatus}`
export type ProfileChange = 'searched' | 'erased'

/** Every reason that blocks the channel; the row goes when they are lifted. */
export type SuppressionRow<Time = Date> = {
  workspace_id: string
  contact_id: string
  channel: SuppressionChannel
  reasons: readonly SuppressionReason[]
  updated_at: Time
}

/** One line each time a consent was said, in the order of `revision` (N188). */
export type ConsentHistoryRow<Time = Date> = {
  workspace_id: string
  contact_id: string
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
