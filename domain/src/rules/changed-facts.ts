import type { ContactEvent } from '../contact/contact.events.ts'

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
