import { Approvals } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { undecidedSenders } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { addressSender, domainSender, smsSender } from './system-senders.ts'

const schema = {
  operationId: 'system.approvals',
  summary: 'The senders of all workspaces that wait for a decision or for a proof',
  tags: ['system'],
  response: { 200: Approvals },
}

const config = { access: 'session', dashboard: { role: 'operator' } } as const

/** So many of each kind. */
const SHOWN = 100

const ownerOf = ({ slug, workspace_name: name }: Readonly<{ slug: string; workspace_name: string }>) => ({ slug, name })

export function listApprovals(app: App, { db }: Pick<DashboardDependencies, 'db'>): void {
  app.get('/system/approvals', { schema, config }, async () => {
    const { smsSenders, domains, addresses } = await undecidedSenders(db, SHOWN + 1)
    const items = [
      ...smsSenders.slice(0, SHOWN).map((row) => smsSender(ownerOf(row), { id: row.sender_id, status: row.status, reason: row.reason })),
      ...domains.slice(0, SHOWN).map((row) => {
        const { domain, said_verified: verified, said_blocklisted: blocklisted, proof, listed_in: listedIn } = row
        return domainSender(ownerOf(row), { domain, verified, blocklisted, proof, listedIn })
      }),
      ...addresses.slice(0, SHOWN).map((row) => {
        const { id: addressId, email, name, status } = row
        return addressSender(ownerOf(row), { addressId, email, name, status, isConfirmed: false }, null)
      }),
    ]
    return { items, has_more: [smsSenders, domains, addresses].some(({ length }) => length > SHOWN) }
  })
}
