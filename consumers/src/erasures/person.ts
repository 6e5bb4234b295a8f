import { normalizeEmail } from '@tidings/addresses'
import type { Recorded, StreamReader } from '@tidings/codec'
import {
  type AddressFacts,
  type ClaimKind,
  type ContactEvent,
  type ContactState,
  contactStream,
  evolveContact,
  factsOfAddress,
  type PushSubscriptionEvent,
  pushSubscriptionStream,
  unknownContact,
} from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { ErasureRef } from './erasure-table.ts'

/** `facts`: what the person's stream says of the address (M45). */
type ClaimedAddress = Readonly<{ kind: ClaimKind; value: string; claimId: string; facts: AddressFacts }>

/**
 * The person as the log has them up to the request. `addresses`: every email, phone number and push endpoint that it shows, an
 * email also in the form in which a log from before M46 does not have it and what was written since does; none, and nothing
 * claimed, once the key is destroyed. `requestedAt`: as the log has it.
 */
export type Person = ErasureRef &
  Readonly<{ requested: Position; requestedAt: string; claimed: readonly ClaimedAddress[]; addresses: readonly string[] }>

// A row of `es.stream_meta`, which Tidings does not write, hides nothing that is to be erased (ADR 34).
const PAST_LIMITS = { pastLimits: true } as const

/** Null where no erasure was asked for. */
export async function readPerson(log: StreamReader, of: ErasureRef): Promise<Person | null> {
  const { workspaceId, contactId } = of
  const events = await log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId), PAST_LIMITS)
  const at = events.findIndex(({ type }) => type === 'ContactErasureRequested')
  const request = events[at]
  if (request === undefined) return null
  const before = events.slice(0, at)
  const state = before.reduce<ContactState>(evolveContact, unknownContact)
  const endpoints = await endpointsOf(log, of, state)
  return {
    ...of,
    requested: request.position,
    requestedAt: request.meta.at,
    claimed: [...claimedOf(state, 'email'), ...claimedOf(state, 'phone')],
    addresses: [...new Set([...before.flatMap(addressesIn), ...endpoints])],
  }
}

const claimedOf = (state: ContactState, kind: ClaimKind): readonly ClaimedAddress[] => {
  const [value, claimId, channel] =
    kind === 'email' ? ([state.email, state.emailClaimId, 'email'] as const) : ([state.phone, state.phoneClaimId, 'sms'] as const)
  return value === null || claimId === null ? [] : [{ kind, value, claimId, facts: factsOfAddress(state, channel) }]
}

const addressesIn = ({ type, data }: Recorded<ContactEvent>): readonly string[] => {
  const phones = type === 'ContactCreated' || type === 'ContactPhoneChanged' ? [data.phone] : []
  const emails = type === 'ContactCreated' || type === 'ContactEmailChanged' ? [data.email] : []
  return [...emails.flatMap((email) => (email === null ? [] : [email, normalizeEmail(email)])), ...phones.filter((phone) => phone !== null)]
}

const endpointsOf = async (
  log: StreamReader,
  { workspaceId, contactId }: ErasureRef,
  { browsers }: ContactState,
): Promise<readonly string[]> => {
  const endpoints: string[] = []
  for (const { endpointHash } of browsers) {
    const events = await log.readStream<PushSubscriptionEvent>(workspaceId, pushSubscriptionStream(workspaceId, endpointHash), PAST_LIMITS)
    for (const { type, data, erased } of events)
      if (type === 'PushSubscriptionRegistered' && data.contactId === contactId && !erased) endpoints.push(data.endpoint)
  }
  return endpoints
}
