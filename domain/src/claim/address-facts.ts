import type { EmailValidationState } from '../contact/contact.events.ts'

/** What is known of an address, whichever contact has it (M45). `unreachable`: a number at which nothing can ever arrive. */
export type AddressFacts = Readonly<{
  reasons: readonly AddressReason[]
  validation: EmailValidationState
  unreachable: boolean
}>

/** The reasons of a suppression that are about the address; the others are the person's. */
export type AddressReason = 'hard_bounce' | 'invalid_address'
export const ADDRESS_REASONS: readonly AddressReason[] = ['hard_bounce', 'invalid_address']

export const noFacts: AddressFacts = { reasons: [], validation: 'unknown', unreachable: false }

export function hasFacts({ reasons, validation, unreachable }: AddressFacts): boolean {
  return reasons.length > 0 || validation !== 'unknown' || unreachable
}

/** Both together. The validation of `more` counts, where it says something. */
export function withFacts(known: AddressFacts, more: AddressFacts): AddressFacts {
  return {
    reasons: ADDRESS_REASONS.filter((reason) => known.reasons.includes(reason) || more.reasons.includes(reason)),
    validation: more.validation === 'unknown' ? known.validation : more.validation,
    unreachable: known.unreachable || more.unreachable,
  }
}
