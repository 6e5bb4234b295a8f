import { addressRecord, smsSenders } from '@tidings/administration'
import { Senders } from '@tidings/contracts'
import { INSTALLATION, senderNumbers, senderNumbersStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { lookedUpDomains } from './found-texts.ts'
import { domainStatus, workspaceState } from './sender-domains.ts'

const schema = {
  operationId: 'senders.list',
  summary: 'The sender domains with their records, the sender addresses and the SMS sender IDs',
  tags: ['senders'],
  response: { 200: Senders },
}

const config = { access: 'session', dashboard: { role: 'admin' } } as const

/** The page shows so many of each; people may add fewer. */
const SHOWN = 500

const by = (one: string, other: string): number => (one < other ? -1 : 1)

export function listSenders(app: App, deps: DashboardDependencies): void {
  app.get('/senders', { schema, config }, async ({ tenant: { workspaceId } }) => {
    const numbers = { decider: senderNumbers, stream: senderNumbersStream(), workspaceId: INSTALLATION }
    const [state, found, { state: ownNumbers }] = await Promise.all([
      workspaceState(deps, workspaceId),
      lookedUpDomains(deps.pool, workspaceId),
      deps.commands.load(numbers),
    ])
    const domains = Object.values(state.senderDomains).toSorted((one, other) => by(one.domain, other.domain))
    const addresses = Object.values(state.senderAddresses).map(addressRecord)
    const texts = await smsSenders(deps.reads, workspaceId, ownNumbers)
    return {
      domains: domains.slice(0, SHOWN).map((known) => domainStatus(deps.senders, { state, known, lookedUp: found.get(known.domain) })),
      addresses: addresses.toSorted((one, other) => by(one.email, other.email)).slice(0, SHOWN),
      smsSenders: texts.slice(0, SHOWN).map(({ number = null, ...sender }) => ({ ...sender, number })),
    }
  })
}
