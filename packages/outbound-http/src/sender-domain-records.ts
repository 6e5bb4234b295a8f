import { asciiDomain } from '@tidings/addresses'
import ipaddr from 'ipaddr.js'
import type { AddressRecords, TextRecords } from './resolvers.ts'

/** The name of the TXT record that proves a domain (M25). */
export function proofName(domain: string): string {
  return `_tidings.${asciiDomain(domain)}`
}

/** Whether the TXT record holds the token; null where no server said. */
export async function isProved(lookups: TextRecords, domain: string, token: string): Promise<boolean | null> {
  const texts = await lookups.texts(proofName(domain))
  return texts === null ? null : texts.some((text) => text.trim() === token)
}

/** The blocklist zones that list the domain. No answer means not listed (M25). */
export async function listingsOf(lookups: AddressRecords, domain: string, zones: readonly string[]): Promise<readonly string[]> {
  const asked = await Promise.all(zones.map(async (zone) => ((await isListed(lookups, asciiDomain(domain), zone)) ? [zone] : [])))
  return asked.flat()
}

/**
 * RFC 5782 §5: a zone of domains never lists `invalid`. One that does has ended, or a resolver answers every name: then nothing it says
 * counts.
 */
const isListed = async ({ addresses }: AddressRecords, domain: string, zone: string): Promise<boolean> =>
  says(await addresses(`${domain}.${zone}`)) && !says(await addresses(`invalid.${zone}`))

const says = (found: readonly string[] | null): boolean => (found ?? []).some(isListing)

const LOOPBACK = ipaddr.parseCIDR('127.0.0.0/8')
/** Spamhaus: https://www.spamhaus.org/faqs/dnsbl-usage/ — the question was wrong or refused, which says nothing of the domain. */
const REFUSAL = ipaddr.parseCIDR('127.255.255.0/24')
const NO_DOMAIN = '127.0.1.255'

const isListing = (address: string): boolean => {
  const parsed = ipaddr.parse(address)
  return parsed.match(LOOPBACK) && !parsed.match(REFUSAL) && address !== NO_DOMAIN
}
