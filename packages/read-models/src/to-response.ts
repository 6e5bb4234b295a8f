import type { List, MessageRecord, Profile, SenderAddressOption, TagOption, TemplateOption, WebhookEndpoint } from '@tidings/contracts'
import type { ListRow, MessageRow, ProfileRow, SenderAddressRow, TagRow, TemplateRow, WebhookRow } from './tables.ts'

const time = (at: Date | null): string | null => at?.toISOString() ?? null

/** The profile as the API shows it; what was never set is null (G13). */
export function toProfile(row: ProfileRow): Profile {
  return {
    id: row.id,
    email: row.email,
    phone: row.phone,
    firstName: row.first_name,
    lastName: row.last_name,
    timezone: row.timezone,
    locale: row.locale,
    emailConsent: row.email_consent,
    smsConsent: row.sms_consent,
    pushConsent: row.push_consent,
    emailConsentTimestamp: time(row.email_consent_at),
    smsConsentTimestamp: time(row.sms_consent_at),
    pushConsentTimestamp: time(row.push_consent_at),
    emailValidationState: row.email_validation_state,
    customProperties: { ...row.custom_properties },
    tags: [...row.tags],
    rfmTier: row.rfm_tier as Profile['rfmTier'],
    notes: row.notes,
    emailSuppressed: row.email_suppressed,
    smsSuppressed: row.sms_suppressed,
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
