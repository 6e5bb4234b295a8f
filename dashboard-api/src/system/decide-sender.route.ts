import { randomBytes } from 'node:crypto'
import type { Static } from '@sinclair/typebox'
import { senderDomainNamed, waitUntilVisible } from '@tidings/administration'
import type { StoredEvent } from '@tidings/commands'
import { DecideSenderBody, SystemSender } from '@tidings/contracts'
import {
  ownValue,
  Refused,
  type SenderIdsCommand,
  type SenderIdsEvent,
  senderIdNamed,
  senderIds,
  senderIdsStream,
  type WorkspaceCommand,
  type WorkspaceEvent,
  type WorkspaceId,
  type WorkspaceState,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { type App, expectedEtag, invalidRequest } from '@tidings/http'
import type { FastifyRequest } from 'fastify'
import { toWorkspace } from '../audit/operator-acts.ts'
import type { DashboardDependencies } from '../dependencies.ts'
import { type Editable, readRecord } from '../editing/editable.ts'
import { saveRecord } from '../editing/save-record.ts'
import { workspaceState } from '../senders/sender-domains.ts'
import { addressSender, decidedIn, domainSender, smsSender } from './system-senders.ts'

const schema = {
  operationId: 'system.decideSender',
  summary: 'Approve or refuse a sender of the workspace, or take that back',
  tags: ['system'],
  body: DecideSenderBody,
  response: { 200: SystemSender },
}

const config = {
  access: 'session',
  dashboard: { role: 'operator', operates: toWorkspace('decision') },
  withoutWorkspace: false,
  anyWorkspaceStatus: true,
  edits: true,
  refusals: ['sender_id_not_found', 'sender_domain_not_found', 'sender_address_not_found', 'sender_decision_not_allowed'],
} as const

type Body = Static<typeof DecideSenderBody>
type Decided = Readonly<{ request: FastifyRequest; body: Body; state: WorkspaceState; workspaceId: WorkspaceId }>

const ownerIn = ({ slug, settings: { name } }: WorkspaceState) => ({ slug, name })

const editableSms = (workspaceId: WorkspaceId, name: string) => ({
  ...{ decider: senderIds, stream: senderIdsStream(workspaceId), notFound: 'sender_id_not_found' as const },
  recordIn: (state: Parameters<typeof senderIdNamed>[0]) => {
    const known = senderIdNamed(state, name)
    return known === undefined ? null : decidedIn.sms({ id: known.senderId, status: known.status })
  },
  changes: ({ data }: SenderIdsEvent) => data.senderId.toLowerCase() === name.toLowerCase(),
})

const editableDomain = (workspaceId: WorkspaceId, domain: string) => ({
  ...{ decider: workspace, stream: workspaceStream(workspaceId), notFound: 'sender_domain_not_found' as const },
  recordIn: ({ senderDomains }: WorkspaceState) => {
    const known = ownValue(senderDomains, domain)
    return known === undefined ? null : decidedIn.domain(known)
  },
  changes: ({ type, data }: WorkspaceEvent) => type === 'SenderDomainConfigured' && data.domain === domain,
})

const editableAddress = (workspaceId: WorkspaceId, addressId: string) => ({
  ...{ decider: workspace, stream: workspaceStream(workspaceId), notFound: 'sender_address_not_found' as const },
  recordIn: ({ senderAddresses }: WorkspaceState) => {
    const known = ownValue(senderAddresses, addressId)
    return known === undefined ? null : decidedIn.address(known)
  },
  changes: ({ data }: WorkspaceEvent) => 'addressId' in data && data.addressId === addressId,
})

type WantedDecision<C, E extends StoredEvent, S, R> = Readonly<{
  editable: Editable<C, E, S, R>
  shown: (state: S) => SystemSender
  commandFor: (record: R) => C
}>

/** A sender that the page shows as it is now, but that the decision does not fit: another one has `changed_meanwhile`. */
async function decide<C, E extends StoredEvent, S, R>(
  deps: DashboardDependencies,
  { request, body, workspaceId }: Decided,
  { editable, shown, commandFor }: WantedDecision<C, E, S, R>,
) {
  const { etag, state } = await readRecord(deps, workspaceId, editable)
  const isAsShown = etag === expectedEtag(request)
  if (isAsShown && !shown(state).decisions.includes(body.decision)) throw new Refused('sender_decision_not_allowed')
  const executed = await saveRecord(deps, request, { editable, commandFor })
  return { position: executed.position, sender: shown(executed.state) }
}

const SMS_COMMANDS = {
  approve: ({ id: senderId }: Body): SenderIdsCommand => ({ type: 'ApproveSenderId', data: { senderId } }),
  refuse: ({ id: senderId, reason }: Body): SenderIdsCommand => ({ type: 'RejectSenderId', data: { senderId, reason: reason ?? null } }),
  withdraw: ({ id: senderId }: Body): SenderIdsCommand => ({ type: 'DeactivateSenderId', data: { senderId } }),
} as const

function decideSms(deps: DashboardDependencies, decided: Decided) {
  const { body, workspaceId, state: owner } = decided
  return decide(deps, decided, {
    editable: editableSms(workspaceId, body.id),
    shown: (state) => {
      const known = senderIdNamed(state, body.id)
      if (known === undefined) throw new Refused('sender_id_not_found')
      return smsSender(ownerIn(owner), { id: known.senderId, status: known.status, reason: body.reason ?? null })
    },
    commandFor: () => SMS_COMMANDS[body.decision](body),
  })
}

const WORDS = { approve: true, refuse: false, withdraw: null } as const

function decideDomain(deps: DashboardDependencies, decided: Decided) {
  const { body, workspaceId, state: owner } = decided
  const domain = senderDomainNamed(owner, body.id)?.domain ?? body.id
  const verified = WORDS[body.decision]
  return decide(deps, decided, {
    editable: editableDomain(workspaceId, domain),
    shown: (state) => {
      const known = ownValue(state.senderDomains, domain)
      if (known === undefined) throw new Refused('sender_domain_not_found')
      return domainSender(ownerIn(owner), known)
    },
    commandFor: ({ blocklisted }): WorkspaceCommand => ({
      type: 'ConfigureSenderDomain',
      data: { domain, verified, blocklisted, ...(verified === null && { token: randomBytes(16).toString('hex') }) },
    }),
  })
}

function decideAddress(deps: DashboardDependencies, decided: Decided) {
  const { request, body, workspaceId, state: owner } = decided
  const addressId = body.id.toLowerCase()
  const status = body.decision === 'approve' ? ('verified' as const) : ('pending' as const)
  return decide(deps, decided, {
    editable: editableAddress(workspaceId, addressId),
    shown: (state) => {
      const known = ownValue(state.senderAddresses, addressId)
      if (known === undefined) throw new Refused('sender_address_not_found')
      return addressSender(ownerIn(owner), known, known.failure)
    },
    commandFor: ({ email, name }): WorkspaceCommand => ({
      type: 'ConfigureSenderAddress',
      data: { addressId, email, name, status, confirmation: { confirmationId: request.commandId, at: request.momentOf(deps.now()) } },
    }),
  })
}

const DECIDERS = { sms: decideSms, domain: decideDomain, address: decideAddress } as const

/** By the commands of `tidings sender` and of a workspace file; what is decided differs only in who says so. */
export function decideSender(app: App, deps: DashboardDependencies): void {
  app.post('/system/sender', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { body } = request
    if (body.reason !== undefined && (body.kind !== 'sms' || body.decision !== 'refuse'))
      throw invalidRequest('reason is taken where a sender ID is refused, and for nothing else')
    const state = await workspaceState(deps, workspaceId)
    const { position, sender } = await DECIDERS[body.kind](deps, { request, body, state, workspaceId })
    await waitUntilVisible(deps, reply, { position, projections: ['sender_addresses', 'sms_senders'] })
    return sender
  })
}
