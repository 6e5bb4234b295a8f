import { contactFacts, type RuleFacts } from '@tidings/domain'
import { type ActivityFactsRow, type ProfileRow, toDetails } from './tables.ts'

/** What a row says of its contact, by the public names; `time` makes of a time what the caller needs. */
export function rowFacts<Time>(row: ProfileRow, time: (at: Date) => Time) {
  const timeOf = (at: Date | null): Time | null => (at === null ? null : time(at))
  return contactFacts({
    email: row.email,
    phone: row.phone,
    details: toDetails(row),
    consents: { email: row.email_consent, sms: row.sms_consent, push: row.push_consent },
    consentAt: { email: timeOf(row.email_consent_at), sms: timeOf(row.sms_consent_at), push: timeOf(row.push_consent_at) },
    emailValidation: row.email_validation_state,
    isSuppressed: { email: row.email_suppressed, sms: row.sms_suppressed },
  })
}

/** What rules ask of a contact, from its profile and the activities that they name. */
export function toRuleFacts(row: ProfileRow, activities: readonly ActivityFactsRow[]): RuleFacts {
  const { id, rfm_tier: rfmTier, created_at, updated_at } = row
  const { tags, customProperties, ...profile } = rowFacts(row, (at) => at.getTime())
  return {
    profile: { id, ...profile, rfmTier, createdAt: created_at.getTime(), updatedAt: updated_at.getTime() },
    tags,
    customProperties,
    events: new Map(activities.map(({ event, count, last_at }) => [event, { count: Number(count), lastAt: last_at.getTime() }])),
  }
}
