import { type Decider, Refused } from '../kernel.ts'
import { followedBy } from './address-changes.ts'
import { browserAdded, browserRemoved } from './browsers.ts'
import type { ContactEvent } from './contact.events.ts'
import { consentLines, contactChanges, factsTaken, patchedDetails, refuseSpent } from './contact-changes.ts'
import type {
  AbandonClaim,
  CompleteErasure,
  ContactCommand,
  CreateContact,
  LiftSuppression,
  RequestErasure,
  SuppressContact,
  ValidateEmail,
} from './contact-commands.ts'
import { type ContactState, evolveContact, holdsClaim, unknownContact } from './contact-state.ts'
import { emailOutcomeEvents } from './email-outcome.ts'
import { smsOptOutEvents, smsReplyEvents, smsUnreachableEvents } from './sms-outcome.ts'

/** A contact's own stream: `contact-<workspaceId>-<contactId>`. */
export function contactStream(workspaceId: string, contactId: string): string {
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
      ...patchedDetails(unknownContact.details, details),
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
  if (holdsClaim(state, claimId)) throw new Refused('claim_in_use')
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
