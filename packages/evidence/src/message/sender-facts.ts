import { asciiDomain, emailKey } from '@tidings/addresses'
import type { Recorded } from '@tidings/codec'
import {
  effectiveDomain,
  type SenderIdsEvent,
  senderIdNamed,
  senderIds,
  senderIdsStream,
  type WorkspaceEvent,
  type WorkspaceState,
  workspace,
} from '@tidings/domain'
import type { Fact } from '../fact.ts'
import { readAll, type Sources } from '../sources.ts'
import { factsAtMoments } from './facts-at-moments.ts'
import type { KnownMessage } from './known-message.ts'

/** Whether the sender could be used: its address and domain, or its sender ID. Nothing once the recipient is erased: the address goes with them. */
export async function senderFacts(
  sources: Sources,
  known: KnownMessage,
  events: readonly Recorded<WorkspaceEvent>[],
): Promise<readonly Fact[]> {
  const { accepted, workspaceId } = known
  if (accepted.type === 'PushAccepted' || (accepted.type === 'EmailAccepted' && accepted.erased)) return []
  if (accepted.type === 'EmailAccepted') return emailSenderFacts(known, events, accepted.data.fromEmail)
  const { from } = accepted.data
  const isOfSender = ({ senderId }: Readonly<{ senderId: string }>): boolean => senderId.toLowerCase() === from.toLowerCase()
  return factsAtMoments(known, {
    events: await readAll<SenderIdsEvent>(sources, workspaceId, senderIdsStream(workspaceId)),
    changes: ({ data }) => isOfSender(data),
    says: (before) =>
      `sender ID ${from} ${senderIdNamed(before.reduce(senderIds.evolve, senderIds.initialState), from)?.status ?? 'unknown'}`,
  })
}

const emailSenderFacts = (known: KnownMessage, events: readonly Recorded<WorkspaceEvent>[], email: string): readonly Fact[] => {
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const addressIds = new Set(
    events.flatMap((event) =>
      event.type === 'SenderAddressConfigured' && emailKey(event.data.email) === emailKey(email) ? [event.data.addressId] : [],
    ),
  )
  const stateAfter = (before: readonly Recorded<WorkspaceEvent>[]): WorkspaceState =>
    before.reduce(workspace.evolve, workspace.initialState)
  return [
    ...factsAtMoments(known, {
      events,
      changes: ({ data }) => 'addressId' in data && addressIds.has(data.addressId),
      says: (before) => `sender address ${email} ${addressStatus(stateAfter(before), email)}`,
    }),
    ...factsAtMoments(known, {
      events,
      changes: ({ type, data }) =>
        (type === 'SenderDomainConfigured' || type === 'SenderDomainChecked') && asciiDomain(data.domain) === asciiDomain(domain),
      says: (before) => `sender domain ${domain} ${domainStatus(stateAfter(before), domain)}`,
    }),
  ]
}

const addressStatus = ({ senderAddresses }: WorkspaceState, email: string): string =>
  Object.values(senderAddresses).find((address) => emailKey(address.email) === emailKey(email))?.status ?? 'unknown'

const domainStatus = ({ senderDomains }: WorkspaceState, name: string): string => {
  const known = Object.values(senderDomains).find(({ domain }) => asciiDomain(domain) === asciiDomain(name))
  if (known === undefined) return 'unknown'
  const { verified, blocklisted } = effectiveDomain(known)
  return `${verified ? 'verified' : 'not verified'}, ${blocklisted ? 'on a blocklist' : 'on no blocklist'}`
}
