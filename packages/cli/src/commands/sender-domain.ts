import { askDomain, type DomainRecord, domainRecord, senderDomainNamed, type TxtRecord } from '@tidings/administration'
import { isoNow } from '@tidings/async/clock'
import { loadConfig, OperationFailed } from '@tidings/config'
import { type SenderDomain, workspace, workspaceStream } from '@tidings/domain'
import { createRecordLookups } from '@tidings/outbound-http'
import { type ExistingWorkspace, existingWorkspace } from '../operator/existing-workspace.ts'
import { withOperator } from '../operator/with-operator.ts'
import { listAnswer } from '../terminal/answer.ts'

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
  const known = senderDomainNamed(state, name)
  if (known === undefined) throw new OperationFailed(`Workspace ${slug} has no sender domain ${name}: add it to the workspace file.`)
  return known
}

/** `tidings sender-domain check`: the same look-ups as the daily ones, now; what the operator's word decides is not asked (M25). */
export function check({ workspace: slug, domain: name, json }: OfWorkspace & Readonly<{ domain: string }>): Promise<void> {
  const { dns } = loadConfig(process.env)
  return withOperator(json, async (operator) => {
    const existing = await existingWorkspace(operator, slug)
    const known = existingDomain(existing, slug, name)
    const { domain } = known
    const command = await askDomain(createRecordLookups(dns.servers), { known, zones: dns.blocklists, at: isoNow() })
    if (command === null) throw new OperationFailed(`No DNS server said whether ${domain} has its record: see \`tidings doctor\`.`)
    await operator.provisioner.execute(existing.id, workspace, workspaceStream(existing.id), command)
    await operator.settle()
    const now = await existingWorkspace(operator, slug)
    const record = domainRecord(now.state, existingDomain(now, slug, name))
    return { json: record, lines: [domainLine(record)] }
  })
}

function domainLine({ domain, verified, by, missingSince, blocklisted, listedIn, record, dkim }: DomainRecord): string {
  const says = [
    `${verified ? 'verified' : 'not verified'} (${by === 'dns' ? 'DNS' : 'the operator’s word'})`,
    ...(missingSince === null ? [] : [`its record is missing since ${missingSince}, and it is verified for three days more at most`]),
    ...(blocklisted ? [`on a blocklist${listedIn.length > 0 ? `: ${listedIn.join(', ')}` : ''}`] : []),
    ...(dkim === null ? [] : [`signed under ${dkim}`]),
    ...(verified ? [] : [recordSentence(record)]),
  ]
  return `${domain}  ${says.join('; ')}`
}

const recordSentence = (record: TxtRecord | null): string =>
  record === null ? 'apply the workspace file once to get its token' : `publish ${record.name} TXT "${record.value}"`
