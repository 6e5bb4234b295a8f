import { domainRecord, senderDomainNamed } from '@tidings/administration'
import type { SenderDomainStatus } from '@tidings/contracts'
import {
  type DkimOfDomain,
  ownValue,
  Refused,
  type SenderDomain,
  type WorkspaceEvent,
  type WorkspaceId,
  type WorkspaceState,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import type { DashboardDependencies } from '../dependencies.ts'
import { etagOf } from '../editing/editable.ts'
import { dnsRecords } from './dns-records.ts'
import { type LookedUp, lookedUpDomains } from './found-texts.ts'

const NO_KEYS = { active: null, keys: {} } as const

/** The DKIM keys of a domain, which is all that people change about it. */
export function dkimOf({ dkim }: WorkspaceState, domain: string): Readonly<{ domain: string; dkim: DkimOfDomain }> {
  return { domain, dkim: ownValue(dkim, domain) ?? NO_KEYS }
}

/** `domain`: as the log spells it. */
export function editableDkim(workspaceId: WorkspaceId, domain: string) {
  return {
    decider: workspace,
    stream: workspaceStream(workspaceId),
    recordIn: (state: WorkspaceState) => (ownValue(state.senderDomains, domain) === undefined ? null : dkimOf(state, domain)),
    changes: ({ type, data }: WorkspaceEvent) => (type === 'DkimKeyCreated' || type === 'DkimSelectorChosen') && data.domain === domain,
    notFound: 'sender_domain_not_found',
  } as const
}

/** The workspace as of the log. */
export async function workspaceState(
  { commands }: Pick<DashboardDependencies, 'commands'>,
  workspaceId: WorkspaceId,
): Promise<WorkspaceState> {
  return (await commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })).state
}

type NamedDomain = Readonly<{ workspaceId: WorkspaceId; name: string }>

/** The domain of this name, however it is spelt; refused where the workspace has none. */
export async function existingDomain(
  deps: Pick<DashboardDependencies, 'commands'>,
  { workspaceId, name }: NamedDomain,
): Promise<Readonly<{ known: SenderDomain; state: WorkspaceState }>> {
  const state = await workspaceState(deps, workspaceId)
  const known = senderDomainNamed(state, name)
  if (known === undefined) throw new Refused('sender_domain_not_found')
  return { known, state }
}

type DomainSources = Pick<DashboardDependencies, 'commands' | 'pool' | 'senders'>
type ShownDomain = Readonly<{ state: WorkspaceState; known: SenderDomain; lookedUp: LookedUp | undefined }>

export function domainStatus({ relays }: DashboardDependencies['senders'], { state, known, lookedUp }: ShownDomain): SenderDomainStatus {
  const { record: proof, dkim: signedUnder, listedIn, ...shown } = domainRecord(state, known)
  const keys = dkimOf(state, known.domain)
  return {
    ...shown,
    listedIn: [...listedIn],
    signedUnder,
    records: dnsRecords({ domain: known.domain, proof, dkim: keys.dkim, relays, found: lookedUp?.found ?? null }),
    checkedAt: lookedUp?.at ?? null,
    etag: etagOf(keys),
  }
}

/** The domain as of the log, with what DNS said of it when somebody last asked. */
export async function shownDomain(deps: DomainSources, named: NamedDomain): Promise<SenderDomainStatus> {
  const { known, state } = await existingDomain(deps, named)
  const lookedUp = (await lookedUpDomains(deps.pool, named.workspaceId)).get(known.domain)
  return domainStatus(deps.senders, { state, known, lookedUp })
}
