import type {
  CampaignChannel,
  CampaignStatus,
  ConsentChannel,
  ConsentStatus,
  CustomFieldKind,
  CustomFieldOption,
  EmailValidationState,
  FailureReason,
  Json,
  ListType,
  MessageChannel,
  MessageStatus,
  SenderAddressStatus,
  SenderIdStatus,
  SuppressionChannel,
  SuppressionReason,
  TagColor,
  TemplateChannel,
  TemplateContent,
  WorkspacePlan,
  WorkspaceStatus,
} from '@tidings/domain'

// One type a table of schema `read`, with the columns' names. `Time` is Date as Postgres answers it, and an ISO 8601 text as a
// projection writes it. Kysely's schema is `ReadModels`.

export type WorkspaceRow<Time = Date> = {
  workspace_id: string
  slug: string
  name: string
  plan: WorkspacePlan
  status: WorkspaceStatus
  country: string
  tracking: boolean
  created_at: Time
  updated_at: Time
}

/** `hash`: SHA-256 of the whole key, lowercase hex. When it was last used stands in `ops`, not here. */
export type ApiKeyRow<Time = Date> = {
  workspace_id: string
  id: string
  name: string
  prefix: string
  hash: string
  status: 'active' | 'revoked'
  created_at: Time
  revoked_at: Time | null
}

export type SenderDomainRow<Time = Date> = {
  workspace_id: string
  domain: string
  verified: boolean
  blocklisted: boolean
  updated_at: Time
}

/** `domain` is what stands behind the @, for the join with `sender_domains`. */
export type SenderAddressRow<Time = Date> = {
  workspace_id: string
  id: string
  email: string
  domain: string
  name: string | null
  status: SenderAddressStatus
  created_at: Time
  updated_at: Time
}

export type TemplateRow<Time = Date> = {
  workspace_id: string
  id: string
  name: string
  channel: TemplateChannel
  archived: boolean
  subject: string | null
  html: string | null
  text: string | null
  body: string | null
  push: TemplateContent['push']
  from_name: string | null
  merge_fields: readonly string[]
  created_at: Time
  updated_at: Time
}

export type TagRow<Time = Date> = {
  workspace_id: string
  id: string
  name: string
  color: TagColor | null
  created_at: Time
  updated_at: Time
}

export type ListRow<Time = Date> = {
  workspace_id: string
  id: string
  name: string
  type: ListType
  created_at: Time
  updated_at: Time
}

/** `contact_created_at`: what a list shows its members in the order of. */
export type ListMemberRow<Time = Date> = {
  workspace_id: string
  list_id: string
  contact_id: string
  added_at: Time
  contact_created_at: Time
}

/** When a contact came to be, for the lists that it will be on. */
export type ContactBirthRow<Time = Date> = { workspace_id: string; contact_id: string; created_at: Time }

/** How many members a list has, exactly; no row while it never had any. */
export type ListTotalRow = { workspace_id: string; list_id: string; total: bigint }

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

/** Exact counts that the profiles projection maintains. `bucket`: `all`, or `<email|sms>:<consent>`. */
export type ProfileTotalRow = { workspace_id: string; bucket: ProfileBucket; total: bigint }
export type ProfileBucket = 'all' | `${'email' | 'sms'}:${ConsentStatus}`

/** Every reason that blocks the channel; the row goes when they are lifted. */
export type SuppressionRow<Time = Date> = {
  workspace_id: string
  contact_id: string
  channel: SuppressionChannel
  reasons: readonly SuppressionReason[]
  updated_at: Time
}

/** One line each time a consent was said, in the order of `revision` (decisions.md N188). */
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

export type MessageRow<Time = Date> = {
  workspace_id: string
  id: string
  contact_id: string
  channel: MessageChannel
  status: MessageStatus
  failure_reason: FailureReason | null
  provider_message_id: string | null
  queued_at: Time
  sent_at: Time | null
  delivered_at: Time | null
  updated_at: Time
}

export type MessageTotalRow = { workspace_id: string; total: bigint }

/** Without the signing secret, which is in no table. */
export type WebhookRow<Time = Date> = {
  workspace_id: string
  id: string
  url: string
  label: string | null
  events: readonly string[]
  active: boolean
  created_at: Time
}

export type CustomFieldRow<Time = Date> = {
  workspace_id: string
  id: string
  key: string
  label: string
  kind: CustomFieldKind
  options: readonly CustomFieldOption[]
  created_at: Time
  updated_at: Time
}

export type SmsSenderRow<Time = Date> = {
  workspace_id: string
  sender_id: string
  status: SenderIdStatus
  /** Why it was rejected. */
  reason: string | null
  created_at: Time
  updated_at: Time
}

export type CustomEventRow<Time = Date> = {
  workspace_id: string
  id: string
  name: string
  label: string
  properties: readonly string[]
  retired: boolean
  created_at: Time
  updated_at: Time
}

/** `schedule_at` is when it is to be sent, while it is scheduled; `sent_at` when it was, where that is known. */
export type CampaignRow<Time = Date> = {
  workspace_id: string
  id: string
  name: string
  channel: CampaignChannel
  status: CampaignStatus
  tag_ids: readonly string[]
  list_id: string | null
  template_id: string | null
  archived: boolean
  variants: number
  schedule_at: Time | null
  sent_at: Time | null
  created_at: Time
  updated_at: Time
}

/** The schema for Kysely: `kyselyOn<ReadModels>(pool).withSchema('read')`, which `forWorkspace` does for you. */
export type ReadModels = {
  workspaces: WorkspaceRow
  api_keys: ApiKeyRow
  sender_domains: SenderDomainRow
  sender_addresses: SenderAddressRow
  templates: TemplateRow
  tags: TagRow
  lists: ListRow
  list_members: ListMemberRow
  list_totals: ListTotalRow
  contact_births: ContactBirthRow
  profiles: ProfileRow
  profile_totals: ProfileTotalRow
  suppressions: SuppressionRow
  consent_history: ConsentHistoryRow
  messages: MessageRow
  message_totals: MessageTotalRow
  webhooks: WebhookRow
  custom_fields: CustomFieldRow
  sms_senders: SmsSenderRow
  custom_events: CustomEventRow
  campaigns: CampaignRow
}
