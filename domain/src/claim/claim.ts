import type { EmailValidationState } from '../contact/contact.events.ts'
import type { ContactId, WorkspaceId } from '../ids.ts'
import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'
import { sameJson } from '../values.ts'

/** Facts about an address, whichever contact has it (M45). `unreachable`: a number at which nothing can ever arrive. */
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
function withFacts(known: AddressFacts, more: AddressFacts): AddressFacts {
  return {
    reasons: ADDRESS_REASONS.filter((reason) => known.reasons.includes(reason) || more.reasons.includes(reason)),
    validation: more.validation === 'unknown' ? known.validation : more.validation,
    unreachable: known.unreachable || more.unreachable,
  }
}

// Stored for ever: change only together with an upcast.
/** `ownerId` may hold the value, if its own stream says so under this claim id. */
type ClaimTaken = Event<'ClaimTaken', { claimId: string; ownerId: ContactId }>
type ClaimReleased = Event<'ClaimReleased', { claimId: string }>
/** Something was found out of the address itself: all that is known of it (M45). Names no person, and outlives the contact that has the address. */
type AddressFactsNoted = Event<'AddressFactsNoted', AddressFacts>
export type ClaimEvent = ClaimTaken | ClaimReleased | AddressFactsNoted

export const claimDeclarations = {
  ClaimTaken: { version: 1 },
  ClaimReleased: { version: 1 },
  AddressFactsNoted: { version: 1 },
} as const satisfies EventDeclarations & Record<ClaimEvent['type'], unknown>

export type ClaimKind = 'email' | 'phone'

/**
 * `holder`: the contact that may hold the value, or null; whether it does is in the owner's own stream. `facts`: what is known of the value.
 * `isNoted`: something was noted or lifted here, so that streams of contacts know nothing more but the validation.
 */
export type ClaimState = Readonly<{
  holder: Readonly<{ claimId: string; ownerId: ContactId }> | null
  facts: AddressFacts
  isNoted: boolean
}>

/** `insteadOf` takes the claim over from exactly that claim id, after its owner was fenced or gave the value up. */
type TakeClaim = Command<'TakeClaim', { claimId: string; ownerId: ContactId; insteadOf?: string }>
type ReleaseClaim = Command<'ReleaseClaim', { claimId: string }>
type NoteAddressFacts = Command<'NoteAddressFacts', AddressFacts>
/** The facts that the stream of a contact has about the value that it is about to give up. Facts that this stream noted or lifted before are newer. */
type KeepAddressFacts = Command<'KeepAddressFacts', AddressFacts>
/** The word of an operator, or of the person: nothing is known against the address. Its validation stays. */
type LiftAddressFacts = Command<'LiftAddressFacts', Record<never, never>>
type ClaimCommand = TakeClaim | ReleaseClaim | NoteAddressFacts | KeepAddressFacts | LiftAddressFacts

/** One stream a value. `digest` is the keyed digest of the normalised value, without dashes: the value itself stays out of the log. */
export function claimStream(workspaceId: WorkspaceId, kind: ClaimKind, digest: string): string {
  return `claim-${workspaceId}-${kind}.${digest}`
}

const decide = ({ type, data }: ClaimCommand, { holder, facts, isNoted }: ClaimState): readonly ClaimEvent[] => {
  if (type === 'NoteAddressFacts') return noted(withFacts(facts, data), facts)
  if (type === 'KeepAddressFacts') return noted(withFacts(facts, isNoted ? { ...noFacts, validation: data.validation } : data), facts)
  if (type === 'LiftAddressFacts') return noted({ ...noFacts, validation: facts.validation }, isNoted ? facts : null)
  if (type === 'ReleaseClaim') return holder?.claimId === data.claimId ? [{ type: 'ClaimReleased', data: { claimId: data.claimId } }] : []
  const { claimId, ownerId, insteadOf } = data
  if (holder?.claimId === claimId) return []
  if (holder !== null && holder.claimId !== insteadOf) throw new Refused('claim_held', holder)
  return [{ type: 'ClaimTaken', data: { claimId, ownerId } }]
}

const noted = (now: AddressFacts, before: AddressFacts | null): readonly ClaimEvent[] =>
  before !== null && sameJson(now, before) ? [] : [{ type: 'AddressFactsNoted', data: now }]

const evolve = (state: ClaimState, event: ClaimEvent): ClaimState => {
  switch (event.type) {
    case 'ClaimTaken':
      return { ...state, holder: event.data }
    case 'ClaimReleased':
      return { ...state, holder: null }
    case 'AddressFactsNoted':
      return { ...state, facts: event.data, isNoted: true }
    default:
      return event satisfies never
  }
}

/** First step of the uniqueness of email and phone; the protocol is in packages/unique-contacts. */
export const claim: Decider<ClaimCommand, ClaimEvent, ClaimState> = {
  decide,
  evolve,
  initialState: { holder: null, facts: noFacts, isNoted: false },
}
