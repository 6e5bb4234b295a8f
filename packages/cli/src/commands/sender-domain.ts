import { asciiDomain } from '@tidings/addresses'
import { isoNow } from '@tidings/async/clock'
import { loadConfig, OperationFailed } from '@tidings/config'
import { type SenderDomain, workspace, workspaceStream } from '@tidings/domain'
import { createRecordLookups, isProved, listingsOf } from '@tidings/outbound-http'
import { type ExistingWorkspace, existingWorkspace } from '../operator/existing-workspace.ts'
import { withOperator } from '../operator/with-operator.ts'
import { listAnswer } from '../terminal/answer.ts'
import { domainLine, domainRecord } from './sender-domain-record.ts'

type OfWorkspace = Readonly<{ workspace: string; json: boolean }>

/** `tidings sender-domain list`, by name. */
export function list({ workspace: slug, json }: OfWorkspace): Promise<void> {
  return withOperator(json, async (operator) => {
    const { state } = await existingWorkspace(operator, slug)
    const records = Object.values(state.senderDomains).map((known) => domainRecord(state, known))
    const sorted = records.toSorted((one, other) => (one.domain < other.domain ? -1 : 1))
    return listAnswer(sorted, domainLine, `Workspace ${slug} has no sender domain.`)
  })
}

/** Throws one sentence where the workspace has no such domain. */
export function existingDomain({ state }: ExistingWorkspace, slug: string, name: string): SenderDomain {
  const known = Object.values(state.senderDomains).find(({ domain }) => asciiDomain(domain) === asciiDomain(name))
  if (known === undefined) throw new OperationFailed(`Workspace ${slug} has no sender domain ${name}: add it to the workspace file.`)
  return known
}

/** `tidings sender-domain check`: the same look-ups as the daily ones, now; what the operator's word decides is not asked (M25). */
export function check({ workspace: slug, domain: name, json }: OfWorkspace & Readonly<{ domain: string }>): Promise<void> {
  const { dns } = loadConfig(process.env)
  return withOperator(json, async (operator) => {
    const existing = await existingWorkspace(operator, slug)
    const { domain, token, verified, blocklisted } = existingDomain(existing, slug, name)
    const lookups = createRecordLookups(dns.servers)
    const [isThere, listedIn] = await Promise.all([
      token === null || verified !== null ? null : isProved(lookups, domain, token),
      blocklisted !== null ? null : listingsOf(lookups, domain, dns.blocklists),
    ])
    if (verified === null && token !== null && isThere === null)
      throw new OperationFailed(`No DNS server said whether ${domain} has its record: see \`tidings doctor\`.`)
    const proof = isThere === null ? null : isThere ? ('found' as const) : ('absent' as const)
    const command = { type: 'RecordDomainCheck', data: { domain, proof, listedIn, at: isoNow() } } as const
    await operator.provisioner.execute(existing.id, workspace, workspaceStream(existing.id), command)
    await operator.settle()
    const now = await existingWorkspace(operator, slug)
    const record = domainRecord(now.state, existingDomain(now, slug, name))
    return { json: record, lines: [domainLine(record)] }
  })
}
