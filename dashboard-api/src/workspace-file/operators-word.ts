import { ownValue, type SenderAddress, type SenderDomain, type WorkspaceState } from '@tidings/domain'
import type { PlannedCommand } from '@tidings/provisioning'

/** What an owner may not do by a file, by the event that would say it: the sentence, which begins with the section. */
const OPERATORS: Readonly<Record<string, string>> = {
  ApiKeyCreated: 'apiKeys: a new key is made under API keys, where it is shown once',
  CreditsAdded: 'credits: only an operator of the installation adds credits',
  SmsSenderIdApproved: 'smsSenderIds: only an operator of the installation approves a sender ID',
  SmsSenderIdRejected: 'smsSenderIds: only an operator of the installation refuses a sender ID',
  SmsSenderNumberSet: 'smsSenderIds: only an operator of the installation gives a sender ID its number',
  SmsSenderNumberRemoved: 'smsSenderIds: only an operator of the installation takes a number from a sender ID',
}
const PLAN = 'workspace.plan: only an operator of the installation changes the plan, and a file without one says free'
const DOMAIN = 'senderDomains: verified and blocklisted are the word of an operator of the installation'
const ADDRESS = 'senderAddresses: verified is the word of an operator of the installation'

/** Why only an operator may give the command; null where an owner may too. What the workspace has so already, no command says. */
export function operatorsWord({ before, events }: PlannedCommand): string | null {
  for (const { type, data } of events) {
    const said = OPERATORS[type] ?? wordOf(type, data, before)
    if (said !== null) return said
  }
  return null
}

/** The casts hold: these events are of the stream of a workspace. */
function wordOf(type: string, data: unknown, before: unknown): string | null {
  const state = before as WorkspaceState
  switch (type) {
    case 'WorkspaceSettingsChanged':
      return 'plan' in (data as object) ? PLAN : null
    case 'SenderDomainConfigured': {
      const { domain, verified, blocklisted } = data as SenderDomain
      const known = ownValue(state.senderDomains, domain)
      return verified === (known?.verified ?? null) && blocklisted === (known?.blocklisted ?? null) ? null : DOMAIN
    }
    case 'SenderAddressConfigured': {
      const { addressId, status } = data as SenderAddress
      return status === (ownValue(state.senderAddresses, addressId)?.status ?? 'pending') ? null : ADDRESS
    }
    default:
      return null
  }
}
