import type { SenderDomain, SenderDomainCommand } from '@tidings/domain'
import { isProved, listingsOf, type RecordLookups } from '@tidings/outbound-http'

type CheckedDomain = Extract<SenderDomainCommand, { type: 'RecordDomainCheck' }>
/** `zones`: the blocklists. `at`: ISO. */
type DomainQuestion = Readonly<{ known: SenderDomain; zones: readonly string[]; at: string }>

/**
 * The same look-ups as the daily ones, as the command that records them; what the operator's word decides is not asked (M25). Null where no server said whether
 * the domain has its record.
 */
export async function askDomain(lookups: RecordLookups, { known, zones, at }: DomainQuestion): Promise<CheckedDomain | null> {
  const { domain, token, verified, blocklisted } = known
  const isAsked = token !== null && verified === null
  const [isThere, listedIn] = await Promise.all([
    isAsked ? isProved(lookups, domain, token) : null,
    blocklisted === null ? listingsOf(lookups, domain, zones) : null,
  ])
  if (isAsked && isThere === null) return null
  const proof = isThere === null ? null : isThere ? ('found' as const) : ('absent' as const)
  return { type: 'RecordDomainCheck', data: { domain, proof, listedIn, at } }
}
