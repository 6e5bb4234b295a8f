import { asciiDomain } from '@tidings/addresses'
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

/** The sender domain of this name, however it is spelt. */
export function senderDomainNamed({ senderDomains }: Pick<WorkspaceState, 'senderDomains'>, name: string): SenderDomain | undefined {
  const wanted = asciiDomain(name)
  return Object.values(senderDomains).find(({ domain }) => asciiDomain(domain) === wanted)
}

export function domainRecord(state: Pick<WorkspaceState, 'dkim'>, known: SenderDomain): DomainRecord {
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
