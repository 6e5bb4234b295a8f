import { Refused } from '../kernel.ts'
import { sameJson } from '../values.ts'
import { addressFactsHold, addressLeft, followedBy } from './address-changes.ts'
import { keptSource } from './consent-source.ts'
import type { ContactDetails, ContactDetailsChanged, ContactEvent } from './contact.events.ts'
import type { ClaimedValue, ConsentStatement, ContactPatch, UpdateContact } from './contact-commands.ts'
import { type ContactState, evolveContact } from './contact-state.ts'
import { mergeCustomProperties } from './custom-properties.ts'
import { fillingOnly } from './fill-empty.ts'

/** The details as the patch leaves them; refuses custom properties beyond their bounds. */
export function patchedDetails(known: ContactDetails, { customProperties, ...plain }: ContactPatch): ContactDetails {
  return {
    ...known,
    ...plain,
    ...(customProperties === undefined ? {} : { customProperties: mergeCustomProperties(known.customProperties, customProperties) }),
  }
}

/**
 * Details, then email, then phone, then consent; only what differs, but consent always (a repetition counts, M19). What belongs to an address
 * goes before the consent with the one that is given up, and comes after it with the one that is taken (M45).
 */
export function contactChanges({ contactId, details = {}, fillsOnly, email, phone, consents }: UpdateContact['data'], state: ContactState) {
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

/** What is known of the addresses that the contact did not have before. */
export function factsTaken(contactId: string, { email, phone }: Values, { before, now }: States): readonly ContactEvent[] {
  const taken = [
    { channel: 'email', value: email, had: before.email },
    { channel: 'sms', value: phone, had: before.phone },
  ] as const
  return taken.flatMap(({ channel, value, had }) => {
    if (value === undefined || value.value === null || value.value === had || value.facts === undefined) return []
    return addressFactsHold(contactId, { channel, facts: value.facts }, now)
  })
}

const detailsChange = (contactId: string, patch: ContactPatch, { details }: ContactState): readonly ContactEvent[] => {
  const next = Object.entries(patchedDetails(details, patch))
  const before = new Map<string, unknown>(Object.entries(details))
  const changed: Partial<ContactDetails> = Object.fromEntries(next.filter(([field, value]) => !sameJson(before.get(field), value)))
  if (Object.keys(changed).length === 0) return []
  return [{ type: 'ContactDetailsChanged', data: { contactId, ...changed } } satisfies ContactDetailsChanged]
}

const emailChange = (contactId: string, email: ClaimedValue | undefined, state: ContactState): readonly ContactEvent[] => {
  if (email === undefined || email.value === state.email) return []
  refuseSpent(state, email.claimId)
  const changed: ContactEvent = { type: 'ContactEmailChanged', data: { contactId, email: email.value, claimId: email.claimId } }
  return [changed, ...addressLeft(contactId, 'email', state)]
}

const phoneChange = (contactId: string, phone: ClaimedValue | undefined, state: ContactState): readonly ContactEvent[] => {
  if (phone === undefined || phone.value === state.phone) return []
  refuseSpent(state, phone.claimId)
  const changed: ContactEvent = { type: 'ContactPhoneChanged', data: { contactId, phone: phone.value, claimId: phone.claimId } }
  return [changed, ...addressLeft(contactId, 'sms', state)]
}

/** Refuses a fenced claim with `claim_lost`; the protocol starts again with new ids. */
export function refuseSpent({ spentClaims }: ContactState, claimId: string | null): void {
  if (claimId !== null && spentClaims.includes(claimId)) throw new Refused('claim_lost')
}

/** One event a statement, each with the status before it. */
export function consentLines(contactId: string, consents: readonly ConsentStatement[], state: ContactState): readonly ContactEvent[] {
  const lines: ContactEvent[] = []
  let now = state
  for (const { channel, status, source, ip, userAgent, message = null } of consents) {
    const line: ContactEvent = {
      type: 'ContactConsentRecorded',
      data: { contactId, channel, from: now.consents[channel], to: status, ...keptSource(source), ip, userAgent, message },
    }
    now = evolveContact(now, line)
    lines.push(line)
  }
  return lines
}
