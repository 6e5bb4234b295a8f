import { appendContext, askDomain, lookUpTexts, waitUntilVisible } from '@tidings/administration'
import { SenderDomainParams, SenderDomainStatus } from '@tidings/contracts'
import { Refused, workspace, workspaceStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import { proofName } from '@tidings/outbound-http'
import type { DashboardDependencies } from '../dependencies.ts'
import { shownSelectors } from './dns-records.ts'
import { keepLookedUp } from './found-texts.ts'
import { mayAskDns } from './may-ask-dns.ts'
import { dkimOf, existingDomain, shownDomain } from './sender-domains.ts'

const schema = {
  operationId: 'senders.checkDomain',
  summary: 'Ask DNS and the blocklists about a sender domain now, six times a minute at most',
  tags: ['senders'],
  params: SenderDomainParams,
  response: { 200: SenderDomainStatus },
}

const config = {
  access: 'session',
  dashboard: { role: 'admin' },
  refusals: ['sender_domain_not_found', 'dns_asked_too_often', 'dns_unanswered'],
} as const

/** Answers within some ten seconds, however silent the name servers are: every look-up has its own end, and they run side by side. */
export function checkSenderDomain(app: App, deps: DashboardDependencies): void {
  app.post('/senders/domains/:domain/check', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { known, state } = await existingDomain(deps, { workspaceId, name: request.params.domain })
    const { domain } = known
    await mayAskDns(deps.senders, workspaceId)
    const { lookups, blocklists: zones } = deps.senders
    const [at, name] = [deps.now(), proofName(domain)]
    const proof = lookups.texts(name)
    const [command, texts] = await Promise.all([
      askDomain({ ...lookups, texts: () => proof }, { known, zones, at }),
      lookUpTexts(lookups, domain, shownSelectors(dkimOf(state, domain).dkim)),
    ])
    if (command === null) throw new Refused('dns_unanswered')
    const { position } = await deps.commands.execute({
      decider: workspace,
      stream: workspaceStream(workspaceId),
      command,
      context: appendContext(request, deps.now()),
    })
    await keepLookedUp(deps.pool, { workspaceId, domain }, { at, found: { ...texts, [name]: await proof } })
    await waitUntilVisible(deps, reply, { position, projections: ['sender_addresses'] })
    return await shownDomain(deps, { workspaceId, name: domain })
  })
}
