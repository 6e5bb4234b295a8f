import type { ContactId } from '../ids.ts'
import { Refused } from '../kernel.ts'
import { inNfc, utf8Length } from '../values.ts'
import {
  type ConsentChannel,
  type ConsentStatus,
  type ContactBrowserAdded,
  type ContactBrowserRemoved,
  type ContactConsentRecorded,
  type ContactDetails,
  type ContactEvent,
  type ContactSuppressionLifted,
  detailsIn,
  type EmailValidationState,
  type Json,
  noDetails,
  type SuppressionChannel,
  type SuppressionReason,
} from './contact.events.ts'

/** A browser that is registered for web push; `registration` as in its own stream. */
export type ContactBrowser = Readonly<{ endpointHash: string; registration: number }>

/** The browsers of a contact that get its messages: at most so many, those that registered last. */
export const MAX_BROWSERS = 20

export type ContactState = Readonly<{
  /** False before ContactCreated, also where the stream has a fence of a contact that was never created, and once it is to be erased. */
  exists: boolean
  erasure: 'none' | 'requested' | 'completed'
  contactId: ContactId | null
  details: ContactDetails
  email: string | null
  emailClaimId: string | null
  phone: string | null
  phoneClaimId: string | null
  consents: Readonly<Record<ConsentChannel, ConsentStatus>>
  /** How many lines of consent history each channel has. */
  statements: Readonly<Record<ConsentChannel, number>>
  /** The consent before its address cleaned it; null where it is not `cleaned`, or something else cleaned it. */
  cleanedFrom: Readonly<Record<SuppressionChannel, ConsentStatus | null>>
  suppressions: Readonly<Record<SuppressionChannel, readonly SuppressionReason[]>>
  emailValidation: EmailValidationState
  /** Those that registered last, the last of them at the end. */
  browsers: readonly ContactBrowser[]
  /** Claim ids that may never be written under again: fenced, or used once and given up. */
  spentClaims: readonly string[]
}>

export const unknownContact: ContactState = {
  exists: false,
  erasure: 'none',
  contactId: null,
  details: noDetails,
  email: null,
  emailClaimId: null,
  phone: null,
  phoneClaimId: null,
  consents: { email: 'never_subscribed', sms: 'never_subscribed', push: 'never_subscribed' },
  statements: { email: 0, sms: 0, push: 0 },
  cleanedFrom: { email: null, sms: null },
  suppressions: { email: [], sms: [] },
  emailValidation: 'unknown',
  browsers: [],
  spentClaims: [],
}

/** True while the contact holds a value under the claim. */
export function hasClaim(state: ContactState, claimId: string): boolean {
  return state.exists && (state.emailClaimId === claimId || state.phoneClaimId === claimId)
}

export function evolveContact(state: ContactState, event: ContactEvent): ContactState {
  switch (event.type) {
    case 'ContactCreated': {
      const { contactId, email, emailClaimId, phone, phoneClaimId } = event.data
      return {
        ...state,
        exists: true,
        contactId,
        details: { ...noDetails, ...detailsIn(event.data) },
        email,
        emailClaimId,
        phone,
        phoneClaimId,
      }
    }
    case 'ContactDetailsChanged':
      return { ...state, details: { ...state.details, ...detailsIn(event.data) } }
    case 'ContactEmailChanged':
      return { ...state, email: event.data.email, emailClaimId: event.data.claimId, spentClaims: spend(state, state.emailClaimId) }
    case 'ContactPhoneChanged':
      return { ...state, phone: event.data.phone, phoneClaimId: event.data.claimId, spentClaims: spend(state, state.phoneClaimId) }
    case 'ContactConsentRecorded':
      return {
        ...state,
        consents: { ...state.consents, [event.data.channel]: event.data.to },
        statements: { ...state.statements, [event.data.channel]: state.statements[event.data.channel] + 1 },
        cleanedFrom: cleanedFrom(state, event),
      }
    case 'ContactSuppressed':
      return withReasons(state, event.data.channel, [...state.suppressions[event.data.channel], event.data.reason])
    case 'ContactSuppressionLifted':
      return withReasons(state, event.data.channel, reasonsLeft(state.suppressions[event.data.channel], event))
    case 'ContactEmailValidated':
      return { ...state, emailValidation: event.data.state }
    case 'ContactBrowserAdded':
    case 'ContactBrowserRemoved':
      return { ...state, browsers: evolveBrowsers(state.browsers, event) }
    case 'ContactClaimAbandoned':
      return { ...state, spentClaims: spend(state, event.data.claimId) }
    case 'ContactErasureRequested':
      return { ...unknownContact, contactId: event.data.contactId, erasure: 'requested', spentClaims: spendAll(state) }
    case 'ContactErased':
      return { ...state, erasure: 'completed' }
    default:
      return event satisfies never
  }
}

/** The reasons that a lifting leaves. */
export function reasonsLeft(reasons: readonly SuppressionReason[], { data }: ContactSuppressionLifted): readonly SuppressionReason[] {
  const lifted = data.reasons
  return lifted === undefined ? [] : reasons.filter((reason) => !lifted.includes(reason))
}

/** Sources of a `cleaned` that is the address's (N188): an operator's list cleanup is not. */
const OF_ADDRESS: readonly string[] = ['hard_bounce', 'undeliverable']

const cleanedFrom = ({ cleanedFrom: known }: ContactState, { data }: ContactConsentRecorded): ContactState['cleanedFrom'] => {
  const { channel, from, to, source } = data
  if (channel === 'push') return known
  if (to !== 'cleaned' || !OF_ADDRESS.includes(source)) return { ...known, [channel]: null }
  return from === 'cleaned' ? known : { ...known, [channel]: from }
}

const spend = ({ spentClaims }: ContactState, claimId: string | null): readonly string[] =>
  claimId === null ? spentClaims : [...spentClaims, claimId]

/** The browsers of a contact after one registered, or was taken away. */
export function evolveBrowsers(
  browsers: readonly ContactBrowser[],
  { type, data }: ContactBrowserAdded | ContactBrowserRemoved,
): readonly ContactBrowser[] {
  const others = browsers.filter(({ endpointHash }) => endpointHash !== data.endpointHash)
  if (type === 'ContactBrowserRemoved') return others
  return [...others, { endpointHash: data.endpointHash, registration: data.registration }].slice(-MAX_BROWSERS)
}

const spendAll = (state: ContactState): readonly string[] =>
  spend({ ...state, spentClaims: spend(state, state.emailClaimId) }, state.phoneClaimId)

const withReasons = (state: ContactState, channel: SuppressionChannel, reasons: readonly SuppressionReason[]): ContactState => ({
  ...state,
  suppressions: { ...state.suppressions, [channel]: reasons },
})

/** A missing field stays as it is. `tags` replace; `customProperties` merge, and a null deletes its key (G12). */
export type ContactPatch = Partial<ContactDetails>

/** The details as the patch leaves them; refuses custom properties beyond their bounds. */
export function patchedDetails(known: ContactDetails, { customProperties, ...plain }: ContactPatch): ContactDetails {
  return {
    ...known,
    ...plain,
    ...(customProperties === undefined ? {} : { customProperties: mergeCustomProperties(known.customProperties, customProperties) }),
  }
}

const CUSTOM_PROPERTIES_MAX_BYTES = 32 * 1024
const CUSTOM_PROPERTIES_MAX_KEYS = 200

type CustomProperties = ContactDetails['customProperties']

/** Shallow merge in which a null deletes its key (G12); refuses a result that is too large (M20). */
export function mergeCustomProperties(known: CustomProperties, patch: CustomProperties): CustomProperties {
  // A Map keeps a key called `__proto__` an ordinary key.
  // One that was stored before M46 may have another canonical form than the patch.
  const merged = new Map<string, Json>(Object.entries(known).map(([key, value]) => [inNfc(key), value]))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, value)
  }
  const result = Object.fromEntries(merged)
  if (merged.size > CUSTOM_PROPERTIES_MAX_KEYS) throw new Refused('custom_properties_too_many_keys', { max: CUSTOM_PROPERTIES_MAX_KEYS })
  if (utf8Length(JSON.stringify(result)) > CUSTOM_PROPERTIES_MAX_BYTES)
    throw new Refused('custom_properties_too_large', { maxBytes: CUSTOM_PROPERTIES_MAX_BYTES })
  return result
}

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** The part of a patch that fills empty fields: it replaces and removes nothing. If there is no room for its properties, all of them are left out. */
export function fillingOnly(known: ContactDetails, { customProperties = {}, tags, ...plain }: ContactPatch): ContactPatch {
  const before = new Map<string, Json>(Object.entries({ ...known, customProperties: {}, tags: [] }))
  const filled = Object.entries(plain).filter(([field, value]) => !isEmpty(value) && isEmpty(before.get(field)))
  return {
    ...Object.fromEntries(filled),
    ...(tags && known.tags.length === 0 && { tags }),
    ...propertiesAdded(known.customProperties, customProperties),
  }
}

const propertiesAdded = (known: CustomProperties, patch: CustomProperties): Pick<ContactPatch, 'customProperties'> => {
  const before = new Map(Object.entries(known).map(([key, value]) => [inNfc(key), value]))
  const added = Object.entries(patch).filter(([key, value]) => !isEmpty(value) && isEmpty(before.get(inNfc(key))))
  const customProperties = Object.fromEntries(added)
  return added.length > 0 && hasRoom(known, customProperties) ? { customProperties } : {}
}

const hasRoom = (known: CustomProperties, customProperties: CustomProperties): boolean => {
  try {
    mergeCustomProperties(known, customProperties)
    return true
  } catch (error) {
    if (error instanceof Refused) return false
    throw error
  }
}
