import { type DomainProof, effectiveDomain, ownValue, type SenderDomain, type WorkspaceState } from '@tidings/domain'
import { proofName } from '@tidings/outbound-http'

/** A record to publish. */
export type TxtRecord = Readonly<{ name: string; type: 'TXT'; value: string }>

/** `by`: who says whether it is verified. `record`: null for a domain of an earlier version, until the file is applied. */
export type DomainRecord = Readonly<{
  domain: string
  verified: boolean
  by: 'operator' | 'dns'
  proof: DomainProof | null
  missingSince: string | null
  blocklisted: boolean
  listedIn: readonly string[]
  record: TxtRecord | null
  /** The selector that its mail is signed under. */
  dkim: string | null
}>

export function domainRecord(state: WorkspaceState, known: SenderDomain): DomainRecord {
  const { domain, token, proof, missingSince, listedIn } = known
  return {
    domain,
    ...effectiveDomain(known),
    by: known.verified === null ? 'dns' : 'operator',
    proof,
    missingSince,
    listedIn,
    record: token === null ? null : { name: proofName(domain), type: 'TXT', value: token },
    dkim: ownValue(state.dkim, domain)?.active ?? null,
  }
}

export function domainLine({ domain, verified, by, missingSince, blocklisted, listedIn, record, dkim }: DomainRecord): string {
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
