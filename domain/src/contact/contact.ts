import type { AddressFacts } from '../claim/claim.ts'
import type { ContactId, WorkspaceId } from '../ids.ts'
import { type Command, type Decider, Refused } from '../kernel.ts'
import { sameJson } from '../values.ts'
import {
  type ContactDetails,
  type ContactDetailsChanged,
  type ContactEvent,
  type EmailValidationState,
  noDetails,
  type SuppressionChannel,
  type SuppressionReason,
} from './contact.events.ts'
import {
  type AddBrowser,
  addressFactsApply,
  addressLeft,
  browserAdded,
  browserRemoved,
  type ConsentStatement,
  consentLines,
  emailOutcomeEvents,
  followedBy,
  type NoteEmailOutcome,
  type NoteSmsOptOut,
  type NoteSmsReply,
  type NoteSmsUnreachable,
  type OfContact,
  type RemoveBrowser,
  smsOptOutEvents,
  smsReplyEvents,
  smsUnreachableEvents,
} from './contact-channels.ts'
import {
  type ContactPatch,
  type ContactState,
  evolveContact,
  fillingOnly,
  hasClaim,
  patchedDetails,
  unknownContact,
} from './contact-state.ts'

/** A value under its claim, with what is known of it; both null takes the value away. */
export type ClaimedValue = Readonly<{ value: string; claimId: string; facts?: AddressFacts }> | Readonly<{ value: null; claimId: null }>

type CreateContact = Command<
  'CreateContact',
  OfContact<{ email?: ClaimedValue; phone?: ClaimedValue; details: ContactPatch; consents?: readonly ConsentStatement[]; source: string }>
>
/** `fillsOnly`: of the details only what is empty is set (M63). */
type UpdateContact = Command<
  'UpdateContact',
  OfContact<{
    email?: ClaimedValue
    phone?: ClaimedValue
    details?: ContactPatch
    fillsOnly?: boolean
    consents?: readonly ConsentStatement[]
  }>
>
type RecordConsent = Command<'RecordConsent', OfContact<{ consents: readonly ConsentStatement[] }>>
type SuppressContact = Command<'SuppressContact', OfContact<{ channels: readonly SuppressionChannel[]; reason: SuppressionReason }>>
type LiftSuppression = Command<'LiftSuppression', OfContact<{ channels: readonly SuppressionChannel[] }>>
type ValidateEmail = Command<'ValidateEmail', OfContact<{ email: string; state: EmailValidationState }>>
/** Fences a claim: afterwards nothing can be written under `claimId`. */
type AbandonClaim = Command<'AbandonClaim', OfContact<{ claimId: string }>>
/** Forgets the person: every later command about the contact is refused. */
type RequestErasure = Command<'RequestErasure', OfContact<Record<never, never>>>
/** Its key is destroyed. */
type CompleteErasure = Command<'CompleteErasure', OfContact<Record<never, never>>>

export type ContactCommand =
  | CreateContact
  | UpdateContact
  | RecordConsent
  | SuppressContact
  | LiftSuppression
  | ValidateEmail
  | NoteEmailOutcome
  | NoteSmsUnreachable
  | NoteSmsReply
  | NoteSmsOptOut
  | AddBrowser
  | RemoveBrowser
  | AbandonClaim
  | RequestErasure
  | CompleteErasure

/** A contact's own stream: `contact-<workspaceId>-<contactId>`. */
export function contactStream(workspaceId: WorkspaceId, contactId: ContactId): string {
  return `contact-${workspaceId}-${contactId}`
}

const decide = (command: ContactCommand, state: ContactState): readonly ContactEvent[] => {
  if (command.type === 'CreateContact') return createContact(command.data, state)
  if (command.type === 'AbandonClaim') return abandonClaim(command.data, state)
  if (command.type === 'RequestErasure') return requestErasure(command.data, state)
  if (command.type === 'CompleteErasure') return completeErasure(command.data, state)
  if (!state.exists) throw new Refused('contact_not_found')
  switch (command.type) {
    case 'UpdateContact':
      return contactChanges(command.data, state)
    case 'RecordConsent':
      return consentLines(command.data.contactId, command.data.consents, state)
    case 'SuppressContact':
      return suppress(command.data, state)
    case 'LiftSuppression':
      return lift(command.data, state)
    case 'ValidateEmail':
      return validateEmail(command.data, state)
    case 'NoteEmailOutcome':
      return emailOutcomeEvents(command.data, state)
    case 'NoteSmsUnreachable':
      return smsUnreachableEvents(command.data, state)
    case 'NoteSmsReply':
      return smsReplyEvents(command.data, state)
    case 'NoteSmsOptOut':
      return smsOptOutEvents(command.data, state)
    case 'AddBrowser':
      return browserAdded(command.data, state)
    case 'RemoveBrowser':
      return browserRemoved(command.data, state)
    default:
      return command satisfies never
  }
}

/** Contact ids are derived from their command: a second creation is the same one again. */
const createContact = (data: CreateContact['data'], state: ContactState): readonly ContactEvent[] => {
  if (state.erasure !== 'none') throw new Refused('contact_not_found')
  if (state.exists) return []
  const { contactId, details, source } = data
  const email = data.email ?? { value: null, claimId: null }
  const phone = data.phone ?? { value: null, claimId: null }
  refuseSpent(state, email.claimId)
  refuseSpent(state, phone.claimId)
  const created: ContactEvent = {
    type: 'ContactCreated',
    data: {
      contactId,
      ...patchedDetails(noDetails, details),
      email: email.value,
      emailClaimId: email.claimId,
      phone: phone.value,
      phoneClaimId: phone.claimId,
      source,
    },
  }
  const said = consentLines(contactId, data.consents ?? [], state)
  const now = followedBy(state, [created, ...said])
  return [created, ...said, ...factsTaken(contactId, { email: data.email, phone: data.phone }, { before: state, now })]
}

/**
 * Details, then email, then phone, then consent; only what differs, but consent always (a repetition counts, M19). What belongs to an address
 * goes before the consent with the one that is given up, and comes after it with the one that is taken (M45).
 */
function contactChanges({ contactId, details = {}, fillsOnly, email, phone, consents }: UpdateContact['data'], state: ContactState) {
  const changes = [
    ...detailsChange(contactId, fillsOnly ? fillingOnly(state.details, details) : details, state),
    ...emailChange(contactId, email, state),
    ...phoneChange(contactId, phone, state),
  ]
  const changed = followedBy(state, changes)
  const said = consentLines(contactId, consents ?? [], changed)
  return [...changes, ...said, ...factsTaken(contactId, { email, phone }, { before: state, now: followedBy(changed, said) })]
}

type Values = Readonly<{ email: ClaimedValue | undefined; phone: ClaimedValue | undefined }>
type States = Readonly<{ before: ContactState; now: ContactState }>

/** Facts about the addresses that the contact did not have before. */
function factsTaken(contactId: ContactId, { email, phone }: Values, { before, now }: States): readonly ContactEvent[] {
  const taken = [
    { channel: 'email', value: email, had: before.email },
    { channel: 'sms', value: phone, had: before.phone },
  ] as const
  return taken.flatMap(({ channel, value, had }) => {
    if (value === undefined || value.value === null || value.value === had || value.facts === undefined) return []
    return addressFactsApply(contactId, { channel, facts: value.facts }, now)
  })
}

const detailsChange = (contactId: ContactId, patch: ContactPatch, { details }: ContactState): readonly ContactEvent[] => {
  const next = Object.entries(patchedDetails(details, patch))
  const before = new Map<string, unknown>(Object.entries(details))
  const changed: Partial<ContactDetails> = Object.fromEntries(next.filter(([field, value]) => !sameJson(before.get(field), value)))
  if (Object.keys(changed).length === 0) return []
  return [{ type: 'ContactDetailsChanged', data: { contactId, ...changed } } satisfies ContactDetailsChanged]
}

const emailChange = (contactId: ContactId, email: ClaimedValue | undefined, state: ContactState): readonly ContactEvent[] => {
  if (email === undefined || email.value === state.email) return []
  refuseSpent(state, email.claimId)
  const changed: ContactEvent = { type: 'ContactEmailChanged', data: { contactId, email: email.value, claimId: email.claimId } }
  return [changed, ...addressLeft(contactId, 'email', state)]
}

const phoneChange = (contactId: ContactId, phone: ClaimedValue | undefined, state: ContactState): readonly ContactEvent[] => {
  if (phone === undefined || phone.value === state.phone) return []
  refuseSpent(state, phone.claimId)
  const changed: ContactEvent = { type: 'ContactPhoneChanged', data: { contactId, phone: phone.value, claimId: phone.claimId } }
  return [changed, ...addressLeft(contactId, 'sms', state)]
}

/** Refuses a fenced claim with `claim_lost`; the protocol starts again with new ids. */
function refuseSpent({ spentClaims }: ContactState, claimId: string | null): void {
  if (claimId !== null && spentClaims.includes(claimId)) throw new Refused('claim_lost')
}

const requestErasure = ({ contactId }: RequestErasure['data'], state: ContactState): readonly ContactEvent[] => {
  if (state.erasure !== 'none') return []
  if (!state.exists) throw new Refused('contact_not_found')
  return [{ type: 'ContactErasureRequested', data: { contactId } }]
}

const completeErasure = ({ contactId }: CompleteErasure['data'], { erasure }: ContactState): readonly ContactEvent[] => {
  if (erasure === 'none') throw new Refused('contact_not_found')
  return erasure === 'completed' ? [] : [{ type: 'ContactErased', data: { contactId } }]
}

/** After the request for an erasure nothing can be written under any claim: all of them are spent. */
const abandonClaim = ({ contactId, claimId }: AbandonClaim['data'], state: ContactState): readonly ContactEvent[] => {
  if (state.erasure !== 'none') return []
  if (hasClaim(state, claimId)) throw new Refused('claim_in_use')
  return state.spentClaims.includes(claimId) ? [] : [{ type: 'ContactClaimAbandoned', data: { contactId, claimId } }]
}

const suppress = ({ contactId, channels, reason }: SuppressContact['data'], state: ContactState): readonly ContactEvent[] =>
  channels
    .filter((channel) => !state.suppressions[channel].includes(reason))
    .map((channel) => ({ type: 'ContactSuppressed', data: { contactId, channel, reason } }))

const lift = ({ contactId, channels }: LiftSuppression['data'], state: ContactState): readonly ContactEvent[] =>
  channels
    .filter((channel) => state.suppressions[channel].length > 0)
    .map((channel) => ({ type: 'ContactSuppressionLifted', data: { contactId, channel } }))

const validateEmail = (data: ValidateEmail['data'], state: ContactState): readonly ContactEvent[] =>
  data.email !== state.email || data.state === state.emailValidation
    ? []
    : [{ type: 'ContactEmailValidated', data: { contactId: data.contactId, state: data.state } }]

/** A person's details, addresses, consents and suppressions: one stream a contact. */
export const contact: Decider<ContactCommand, ContactEvent, ContactState> = {
  decide,
  evolve: evolveContact,
  initialState: unknownContact,
}
