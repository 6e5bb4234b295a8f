import { dkimName, showsKey, waitUntilVisible } from '@tidings/administration'
import { ChooseDkimKeyBody, SenderDomainParams, SenderDomainStatus } from '@tidings/contracts'
import { type DkimCommand, type DkimOfDomain, ownValue, Refused } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { saveRecord } from '../editing/save-record.ts'
import { mayAskDns } from './may-ask-dns.ts'
import { dkimOf, editableDkim, existingDomain, shownDomain } from './sender-domains.ts'

const schema = {
  operationId: 'senders.chooseDkimKey',
  summary: 'Sign the mail of a sender domain with a key that DNS shows, or leave that to the relay',
  tags: ['senders'],
  params: SenderDomainParams,
  body: ChooseDkimKeyBody,
  response: { 200: SenderDomainStatus },
}

const config = {
  access: 'session',
  dashboard: { role: 'admin' },
  edits: true,
  refusals: ['sender_domain_not_found', 'dkim_key_not_found', 'dkim_key_not_published', 'dns_asked_too_often'],
} as const

type ChosenKey = Readonly<{ domain: string; dkim: DkimOfDomain; selector: string }>

/** Mail that is signed under a key that is not in DNS is worse than mail without a signature. */
const assertPublished = async ({ senders }: DashboardDependencies, { domain, dkim, selector }: ChosenKey): Promise<void> => {
  const publicKey = ownValue(dkim.keys, selector)
  if (publicKey === undefined) throw new Refused('dkim_key_not_found')
  const texts = await senders.lookups.texts(dkimName(domain, selector))
  if (!showsKey(texts ?? [], publicKey)) throw new Refused('dkim_key_not_published')
}

export function chooseDkimKey(app: App, deps: DashboardDependencies): void {
  app.put('/senders/domains/:domain/dkim', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { selector } = request.body
    const { known, state } = await existingDomain(deps, { workspaceId, name: request.params.domain })
    const { domain } = known
    if (selector !== null) {
      await mayAskDns(deps.senders, workspaceId)
      await assertPublished(deps, { ...dkimOf(state, domain), selector })
    }
    const { position } = await saveRecord(deps, request, {
      editable: editableDkim(workspaceId, domain),
      commandFor: (): DkimCommand => ({ type: 'ChooseDkimSelector', data: { domain, selector } }),
    })
    await waitUntilVisible(deps, reply, { position, projections: ['sender_addresses'] })
    return await shownDomain(deps, { workspaceId, name: domain })
  })
}
