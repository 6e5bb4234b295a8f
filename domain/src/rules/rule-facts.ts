import type { ConsentChannel, ContactDetails, ContactEvent, Json, SuppressionChannel } from '../contact/contact.events.ts'
import type { ContactState } from '../contact/contact-state.ts'
import type { ProfileField } from './rule-fields.ts'

/** The number of times that a contact had an event, and the last time (milliseconds). */
export type EventFacts = Readonly<{ count: number; lastAt: number }>

/**
 * The facts that rules are evaluated on: one contact, as of one moment. Times are milliseconds. An event that is not in `events` never came; for the
 * events that a rule reads it must be complete.
 */
export type RuleFacts = Readonly<{
  profile: Readonly<Record<ProfileField, string | number | boolean | null>>
  tags: readonly string[]
  customProperties: Readonly<Record<string, Json>>
  events: ReadonlyMap<string, EventFacts>
}>

type ByChannel<Value> = Readonly<Record<ConsentChannel, Value>>
type KnownContact<Time> = Pick<ContactState, 'email' | 'phone' | 'consents' | 'emailValidation'> &
  Readonly<{ details: ContactDetails; consentAt: ByChannel<Time | null>; isSuppressed: Readonly<Record<SuppressionChannel, boolean>> }>

/**
 * A contact by the public names: the one mapping of the profile that the API shows and of the facts that rules ask, from the log
 * and from the read side. `Time`: as the caller has it.
 */
export function contactFacts<Time>({ email, phone, details, consents, consentAt, emailValidation, isSuppressed }: KnownContact<Time>) {
  return {
    email,
    phone,
    ...details,
    emailConsent: consents.email,
    smsConsent: consents.sms,
    pushConsent: consents.push,
    emailConsentTimestamp: consentAt.email,
    smsConsentTimestamp: consentAt.sms,
    pushConsentTimestamp: consentAt.push,
    emailValidationState: emailValidation,
    emailSuppressed: isSuppressed.email,
    smsSuppressed: isSuppressed.sms,
  }
}

/** The same of a contact as its stream says. */
export function factsOfState<Time>(state: ContactState, consentAt: ByChannel<Time | null>) {
  const { suppressions } = state
  return contactFacts({ ...state, consentAt, isSuppressed: { email: suppressions.email.length > 0, sms: suppressions.sms.length > 0 } })
}

/**
 * The facts with no time of the service's own after `now`: a process whose clock was ahead wrote it, and what it wrote has occurred. So it counts at
 * once, whichever process judges it. Properties stay: those are what somebody wrote.
 */
export function withoutFuture(facts: RuleFacts, now: number): RuleFacts {
  const { profile, events } = facts
  const isAhead = (value: unknown): boolean => typeof value === 'number' && value > now
  if (!Object.values(profile).some(isAhead) && ![...events.values()].some(({ lastAt }) => isAhead(lastAt))) return facts
  const fields = Object.entries(profile).map(([field, value]) => [field, isAhead(value) ? now : value] as const)
  return {
    ...facts,
    profile: { ...profile, ...Object.fromEntries(fields) },
    events: new Map([...events].map(([name, { count, lastAt }]) => [name, { count, lastAt: Math.min(lastAt, now) }])),
  }
}

/** A contact that is new has every fact. */
export const EVERY_FACT = '*'

/** The facts of `ruleField` that an event of a contact changes; `EVERY_FACT` alone for a new contact. */
export function changedFacts(event: ContactEvent): readonly string[] {
  switch (event.type) {
    case 'ContactCreated':
      return [EVERY_FACT]
    case 'ContactDetailsChanged':
      return [...Object.keys(event.data).filter((key) => key !== 'contactId'), 'updatedAt']
    case 'ContactEmailChanged':
      return ['email', 'updatedAt']
    case 'ContactPhoneChanged':
      return ['phone', 'updatedAt']
    case 'ContactConsentRecorded':
      return [`${event.data.channel}Consent`, `${event.data.channel}ConsentTimestamp`, 'updatedAt']
    case 'ContactSuppressed':
    case 'ContactSuppressionLifted':
      return [`${event.data.channel}Suppressed`, 'updatedAt']
    case 'ContactEmailValidated':
      return ['emailValidationState', 'updatedAt']
    case 'ContactBrowserAdded':
    case 'ContactBrowserRemoved':
    case 'ContactClaimAbandoned':
    case 'ContactErasureRequested':
    case 'ContactErased':
      return []
    default:
      return event satisfies never
  }
}
