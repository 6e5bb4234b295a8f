import type { ActivityFactsRow, ObservedEventRow, ObservedEventTotalRow } from './tables/activities.ts'
import type { CampaignQueueRow, CampaignResponseRow, CampaignResultRow } from './tables/campaigns.ts'
import type { FlowRow, FlowRunRow } from './tables/flows.ts'
import type { FormRow, FormSettingsRow } from './tables/forms.ts'
import type { ContactBirthRow, ListMemberRow, ListRow, ListTotalRow } from './tables/lists.ts'
import type { CampaignRow, CustomEventRow, CustomFieldRow, SmsSenderRow } from './tables/lookups.ts'
import type { MessageRow, MessageTotalRow, ProviderIdRow, SmsRecipientRow, WaitingTextRow } from './tables/messages.ts'
import type { ConsentHistoryRow, ProfileRow, ProfileSearchRow, ProfileTotalRow, SuppressionRow } from './tables/profiles.ts'
import type { PushSubscriptionRow } from './tables/push.ts'
import type { TagRow, TemplateRow } from './tables/templates-and-tags.ts'
import type { WalletRow } from './tables/wallets.ts'
import type { ApiKeyRow, SenderAddressRow, SenderDomainRow, UserRow, WebhookRow, WorkspaceRow } from './tables/workspaces.ts'

export * from './tables/activities.ts'
export * from './tables/campaigns.ts'
export * from './tables/flows.ts'
export * from './tables/forms.ts'
export * from './tables/lists.ts'
export * from './tables/lookups.ts'
export * from './tables/messages.ts'
export * from './tables/profiles.ts'
export * from './tables/push.ts'
export * from './tables/templates-and-tags.ts'
export * from './tables/wallets.ts'
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
  flows: FlowRow
  flow_runs: FlowRunRow
  activity_facts: ActivityFactsRow
  observed_events: ObservedEventRow
  observed_event_totals: ObservedEventTotalRow
}
