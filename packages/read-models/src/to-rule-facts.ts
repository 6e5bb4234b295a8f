import type { RuleFacts } from '@tidings/domain'
import type { ActivityFactsRow, ProfileRow } from './tables.ts'

const time = (date: Date | null): number | null => (date === null ? null : date.getTime())

/** What rules ask of a contact, from its profile and the activities that they name. */
export function toRuleFacts(row: ProfileRow, activities: readonly ActivityFactsRow[]): RuleFacts {
  return {
    profile: {
      id: row.id,
      email: row.email,
      phone: row.phone,
      firstName: row.first_name,
      lastName: row.last_name,
      timezone: row.timezone,
      locale: row.locale,
      notes: row.notes,
      rfmTier: row.rfm_tier,
      emailConsent: row.email_consent,
      smsConsent: row.sms_consent,
      pushConsent: row.push_consent,
      emailValidationState: row.email_validation_state,
      emailConsentTimestamp: time(row.email_consent_at),
      smsConsentTimestamp: time(row.sms_consent_at),
      pushConsentTimestamp: time(row.push_consent_at),
      createdAt: time(row.created_at),
      updatedAt: time(row.updated_at),
      emailSuppressed: row.email_suppressed,
      smsSuppressed: row.sms_suppressed,
    },
    tags: row.tags,
    customProperties: row.custom_properties,
    events: new Map(activities.map(({ event, count, last_at }) => [event, { count: Number(count), lastAt: last_at.getTime() }])),
  }
}
