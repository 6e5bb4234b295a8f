import type {
  CampaignId,
  ContactId,
  FlowId,
  FormId,
  ListId,
  ListType,
  MessageId,
  PushRevokeReason,
  RunEnd,
  TagColor,
  TemplateChannel,
  TemplateContent,
  TemplateId,
  WorkspaceId,
} from '@tidings/domain'
import type { AuditRow } from './tables/audit.ts'
import type { ContactTimelineRow } from './tables/contact-timeline.ts'
import type { ClickedMessageRow, ConsentHourRow, ConsentTotalRow, MessageHourRow, SaidConsentRow } from './tables/figures.ts'
import type { CampaignRow, CustomEventRow, CustomFieldRow, SmsSenderRow } from './tables/lookups.ts'
import type { MessageRow, MessageTotalRow, ProviderIdRow, SmsRecipientRow, WaitingTextRow } from './tables/messages.ts'
import type { ConsentHistoryRow, ProfileRow, ProfileSearchRow, ProfileTotalRow, SuppressionRow } from './tables/profiles.ts'
import type { ApiKeyRow, SenderAddressRow, SenderDomainRow, UserRow, WebhookRow, WorkspaceRow } from './tables/workspaces.ts'

/** `balance`: SMS credits that are not spent, the `held` ones included (D6). `open_holds`: messages that credits are held for. */
export type WalletRow<Time = Date> = {
  workspace_id: WorkspaceId
  balance: bigint
  held: bigint
  open_holds: number
  updated_at: Time
}

export type TemplateRow<Time = Date> = {
  workspace_id: WorkspaceId
  id: TemplateId
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
  workspace_id: WorkspaceId
  id: string
  name: string
  color: TagColor | null
  created_at: Time
  updated_at: Time
}

/** A browser that was registered for web push; where it is called, and with which keys, is in no table. */
export type PushSubscriptionRow<Time = Date> = {
  workspace_id: WorkspaceId
  endpoint_hash: string
  id: string
  contact_id: ContactId
  browser: string | null
  platform: string | null
  created_at: Time
  last_seen_at: Time
  revoked_at: Time | null
  revoke_reason: PushRevokeReason | null
}

export type ListRow<Time = Date> = {
  workspace_id: WorkspaceId
  id: ListId
  name: string
  type: ListType
  created_at: Time
  updated_at: Time
}

/** `contact_created_at`: what a list shows its members in the order of. */
export type ListMemberRow<Time = Date> = {
  workspace_id: WorkspaceId
  list_id: ListId
  contact_id: ContactId
  added_at: Time
  contact_created_at: Time
}

/** The creation time of a contact, for the lists that it will be on. */
export type ContactBirthRow<Time = Date> = { workspace_id: WorkspaceId; contact_id: ContactId; created_at: Time }

/** How many members a list has, exactly; no row while it never had any. */
export type ListTotalRow = { workspace_id: WorkspaceId; list_id: ListId; total: bigint }

/** Whether embedded forms are switched on, and where they may stand. */
export type FormSettingsRow = {
  workspace_id: WorkspaceId
  enabled: boolean
  origins: readonly string[]
}

/**
 * `template_id` and `sender_address_id` are those of the mail that asks to confirm; both null where a sign-up takes effect at once. `sign_ups`: since the form
 * was made, and `confirmed` those of them that were confirmed.
 */
export type FormRow = {
  workspace_id: WorkspaceId
  form_id: FormId
  list_id: ListId
  template_id: TemplateId | null
  sender_address_id: string | null
  archived: boolean
  sign_ups: number
  confirmed: number
}

/** `inside`: runs that are not over; `finished`: those that are, for any reason. */
export type FlowRow<Time = Date> = {
  workspace_id: WorkspaceId
  id: FlowId
  name: string
  version: number
  paused: boolean
  retired: boolean
  inside: bigint
  finished: bigint
  created_at: Time
}

/** The last run of a contact through a flow. `step`: the next one, null where it waits for what is behind the last. */
export type FlowRunRow<Time = Date> = {
  workspace_id: WorkspaceId
  flow_id: FlowId
  contact_id: ContactId
  run_id: string
  version: number
  step: number | null
  state: 'due' | 'waiting' | 'message_queued' | 'over'
  until: Time | null
  reason: string | null
  entered_at: Time
  updated_at: Time
}

/** Runs at a step; those that passed it, to the next or to the end; and those that ended at it for another reason. */
export type FlowStepCounts = Readonly<{ inside: number; passed: number; left: number }>

/** `versions`: by version, the counts of its steps in their order. Older ones without a run inside are not counted. `ends`: all runs that are over, by reason. */
export type FlowStepsRow = {
  workspace_id: WorkspaceId
  flow_id: FlowId
  versions: Readonly<Record<string, readonly FlowStepCounts[]>>
  ends: Readonly<Partial<Record<RunEnd, number>>>
}

/** A run that is not over. `step`: the one that it is at; null once nothing follows. */
export type OpenFlowRunRow = {
  workspace_id: WorkspaceId
  run_id: string
  version: number
  step: number | null
}

/** What `campaign_results` counts. `sent`: the provider has it, by its answer or by a receipt. */
export type CampaignOutcome =
  | 'accepted'
  | 'queued'
  | 'sent'
  | 'delivered'
  | 'opened'
  | 'clicked'
  | 'bounced'
  | 'complained'
  | 'unsubscribed'
  | 'failed'
  | 'suppressed'
  | 'skipped'

/** How many messages of a variant have had an outcome. `queued` goes down again; `reason` is empty where an outcome has none. */
export type CampaignResultRow = {
  workspace_id: WorkspaceId
  campaign_id: CampaignId
  variant: number
  outcome: CampaignOutcome
  reason: string
  messages: bigint
}

/**
 * A message of a campaign that has not had its provider's answer. `taken`: a receipt came before that answer, and shows that the provider
 * has the message.
 */
export type CampaignQueueRow = { workspace_id: WorkspaceId; message_id: MessageId; taken: boolean }

/** A message that its recipient clicked in, or unsubscribed by: counted once. */
export type CampaignResponseRow = { workspace_id: WorkspaceId; message_id: MessageId; response: 'clicked' | 'unsubscribed' }

/**
 * What rules ask of a contact's activities of one name: how many there are, and when the last one occurred. `recent`: the last of them, as
 * `recentIn` reads them.
 */
export type ActivityFactsRow<Time = Date> = {
  workspace_id: WorkspaceId
  contact_id: ContactId
  event: string
  count: bigint
  last_at: Time
  recent: string
}

/** A custom event that was reported, with the names of its properties in the order in which they were first seen. */
export type ObservedEventRow = {
  workspace_id: WorkspaceId
  name: string
  properties: readonly string[]
}

/**
 * `names`: rows of `observed_events`. `once` and `again`: these names, those that came first before, by whether they were reported again since.
 * `ignored_*`: what the catalogue did not take, or dropped for something newer, counted each time.
 */
export type ObservedEventTotalRow = {
  workspace_id: WorkspaceId
  names: bigint
  once: readonly string[]
  again: readonly string[]
  ignored_names: bigint
  ignored_properties: bigint
}

export * from './tables/audit.ts'
export * from './tables/contact-timeline.ts'
export * from './tables/figures.ts'
export * from './tables/lookups.ts'
export * from './tables/messages.ts'
export * from './tables/profiles.ts'

export * from './tables/workspaces.ts'

// One type a table of schema `read`, with the columns' names. `Time` is Date as Postgres answers it, and an ISO 8601 text as a
// projection writes it. Kysely's schema is `ReadModels`.

/** The schema for Kysely: `kyselyOn<ReadModels>(pool).withSchema('read')`, which `forWorkspace` does for you. */
export type ReadModels = {
  workspaces: WorkspaceRow
  api_keys: ApiKeyRow
  users: UserRow
  sender_domains: SenderDomainRow
  sender_addresses: SenderAddressRow
  form_settings: FormSettingsRow
  forms: FormRow
  templates: TemplateRow
  tags: TagRow
  lists: ListRow
  list_members: ListMemberRow
  list_totals: ListTotalRow
  contact_births: ContactBirthRow
  profiles: ProfileRow
  profile_search: ProfileSearchRow
  profile_totals: ProfileTotalRow
  suppressions: SuppressionRow
  consent_history: ConsentHistoryRow
  contact_timeline: ContactTimelineRow
  audit: AuditRow
  messages: MessageRow
  message_totals: MessageTotalRow
  provider_ids: ProviderIdRow
  wallets: WalletRow
  sms_recipients: SmsRecipientRow
  waiting_texts: WaitingTextRow
  webhooks: WebhookRow
  push_subscriptions: PushSubscriptionRow
  custom_fields: CustomFieldRow
  sms_senders: SmsSenderRow
  custom_events: CustomEventRow
  campaigns: CampaignRow
  campaign_results: CampaignResultRow
  campaign_queue: CampaignQueueRow
  campaign_responses: CampaignResponseRow
  message_hours: MessageHourRow
  clicked_messages: ClickedMessageRow
  consent_hours: ConsentHourRow
  consent_totals: ConsentTotalRow
  said_consents: SaidConsentRow
  flows: FlowRow
  flow_runs: FlowRunRow
  flow_steps: FlowStepsRow
  open_flow_runs: OpenFlowRunRow
  activity_facts: ActivityFactsRow
  observed_events: ObservedEventRow
  observed_event_totals: ObservedEventTotalRow
}
