import { randomBytes } from 'node:crypto'
import { domainName } from '@tidings/addresses'
import { senderDomainNamed, waitUntilVisible } from '@tidings/administration'
import { AddSenderDomainBody, SenderDomainStatus } from '@tidings/contracts'
import { Refused, workspace, workspaceStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { addSender } from './add-sender.ts'
import { shownDomain } from './sender-domains.ts'

const schema = {
  operationId: 'senders.addDomain',
  summary: 'Add a sender domain; the answer shows the records to publish',
  tags: ['senders'],
  body: AddSenderDomainBody,
  response: { 201: SenderDomainStatus },
}

const config = {
  access: 'session',
  dashboard: { role: 'admin' },
  refusals: ['sender_domain_invalid', 'sender_domain_exists', 'sender_limit_reached'],
} as const

/** The domain in the form in which it is stored. The dot at the end of an absolute name is no part of it. */
const storedName = (given: string): string => {
  const name = domainName(given.replace(/[.\u3002\uff0e\uff61]$/, ''))
  if (name === null) throw new Refused('sender_domain_invalid')
  return name.unicode
}

/** DNS alone says whether it is verified (M25): the operator's word about a domain is never changed here. */
export function addSenderDomain(app: App, deps: DashboardDependencies): void {
  app.post('/senders/domains', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const domain = storedName(request.body.domain)
    const { position } = await addSender(deps, request, {
      decider: workspace,
      stream: workspaceStream(workspaceId),
      command: {
        type: 'ConfigureSenderDomain',
        data: { domain, verified: null, blocklisted: null, token: randomBytes(16).toString('hex') },
      },
      exists: (state) => senderDomainNamed(state, domain) !== undefined,
      taken: 'sender_domain_exists',
      count: ({ senderDomains }) => Object.keys(senderDomains).length,
    })
    await waitUntilVisible(deps, reply, { position, projections: ['sender_addresses'] })
    reply.code(201)
    return await shownDomain(deps, { workspaceId, name: domain })
  })
}
