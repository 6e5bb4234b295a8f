import type { List, MessageRecord, Profile, SenderAddressOption, TagOption, TemplateOption, WebhookEndpoint } from '@tidings/contracts'
import type { ContactDetails, ContactField } from '@tidings/domain'
import {
  type ListRow,
  type MessageRow,
  type ProfileRow,
  type SenderAddressRow,
  type TagRow,
  type TemplateRow,
  toDetails,
  type WebhookRow,
} from './tables.ts'
import { rowFacts } from './to-rule-facts.ts'

const time = (at: Date | null): string | null => at?.toISOString() ?? null

/** The details as the API shows them. A field that its profile lacks does not compile. */
export function shownDetails(details: ContactDetails): Pick<Profile, ContactField> {
  return { ...details, tags: [...details.tags], customProperties: { ...details.customProperties } }
}

/** The profile as the API shows it; what was never set is null (G13). */
export function toProfile(row: ProfileRow): Profile {
  return {
    id: row.id,
    ...rowFacts(row, (at) => at.toISOString()),
    ...shownDetails(toDetails(row)),
    rfmTier: row.rfm_tier,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** The message status record (N134). */
export function toMessageStatus(row: MessageRow): MessageRecord {
  return {
    id: row.id,
    channel: row.channel,
    status: row.status,
    failureReason: row.failure_reason,
    providerMessageId: row.provider_message_id,
    queuedAt: row.queued_at.toISOString(),
    sentAt: time(row.sent_at),
    deliveredAt: time(row.delivered_at),
    updatedAt: row.updated_at.toISOString(),
  }
}

export function toTemplateOption(row: Pick<TemplateRow, 'id' | 'name' | 'channel' | 'merge_fields'>): TemplateOption {
  return {
    value: row.id,
    label: row.name,
    channel: row.channel,
    mergeFields: [...row.merge_fields],
  }
}

export function toList({ id, name, type, total }: Pick<ListRow, 'id' | 'name' | 'type'> & Readonly<{ total: bigint | null }>): List {
  return {
    id,
    name,
    type,
    profiles: Number(total ?? 0n),
  }
}

/** The label is always the value (contract: Tags). */
export function toTagOption({ id, name, color }: Pick<TagRow, 'id' | 'name' | 'color'>): TagOption {
  return {
    value: name,
    label: name,
    id,
    color,
  }
}

/** The label is `Name <email>` when a From name is set (contract: Lookup lists). */
export function toSenderAddressOption({ email, name }: Pick<SenderAddressRow, 'email' | 'name'>): SenderAddressOption {
  return {
    value: email,
    label: name === null ? email : `${name} <${email}>`,
    fromName: name,
  }
}

export function toWebhookEndpoint({ id, label, url, events, active, created_at }: WebhookRow): WebhookEndpoint {
  return {
    id,
    label,
    url,
    events: [...events],
    active,
    createdAt: created_at.toISOString(),
  }
}
