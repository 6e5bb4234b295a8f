import { newDkimKey, waitUntilVisible } from '@tidings/administration'
import { SenderDomainParams, SenderDomainStatus } from '@tidings/contracts'
import type { DkimCommand } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { saveRecord } from '../editing/save-record.ts'
import { mayAskDns } from './may-ask-dns.ts'
import { editableDkim, existingDomain, shownDomain } from './sender-domains.ts'

const schema = {
  operationId: 'senders.createDkimKey',
  summary: 'Make a DKIM key for a sender domain; nothing is signed with it before it is chosen',
  tags: ['senders'],
  params: SenderDomainParams,
  response: { 201: SenderDomainStatus },
}

const config = {
  access: 'session',
  dashboard: { role: 'admin' },
  edits: true,
  refusals: ['sender_domain_not_found', 'dkim_key_limit', 'dns_asked_too_often'],
} as const

/** The private key leaves the process in its sealed event alone. Making one keeps a core busy for a moment: it counts as a look-up does. */
export function createDkimKey(app: App, deps: DashboardDependencies): void {
  app.post('/senders/domains/:domain/keys', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { known } = await existingDomain(deps, { workspaceId, name: request.params.domain })
    const { domain } = known
    await mayAskDns(deps.senders, workspaceId)
    const key = await newDkimKey()
    const { position } = await saveRecord(deps, request, {
      editable: editableDkim(workspaceId, domain),
      commandFor: (): DkimCommand => ({ type: 'CreateDkimKey', data: { domain, ...key } }),
    })
    await waitUntilVisible(deps, reply, { position, projections: ['sender_addresses'] })
    reply.code(201)
    return await shownDomain(deps, { workspaceId, name: domain })
  })
}
