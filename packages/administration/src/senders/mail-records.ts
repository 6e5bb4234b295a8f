import { isIP } from 'node:net'
import { asciiDomain } from '@tidings/addresses'
import { isPublicAddress, type TextRecords } from '@tidings/outbound-http'
import { isLoopback } from '@tidings/providers'
import { dkimName } from './dkim-keys.ts'

/** What DNS said of each name that was asked: its texts, or null where no server said. */
export type FoundTexts = Readonly<Record<string, readonly string[] | null>>

/** Asks for what receivers look at, all at once: SPF (RFC 7208), DMARC (RFC 7489), and the DKIM keys (RFC 6376) of these selectors. */
export async function lookUpTexts(lookups: TextRecords, domain: string, selectors: readonly string[]): Promise<FoundTexts> {
  const names = [asciiDomain(domain), ...dmarcNames(domain), ...selectors.map((selector) => dkimName(domain, selector))]
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await lookups.texts(name)] as const)))
}

const withVersion = (texts: readonly string[], version: string): readonly string[] =>
  texts.filter((text) => text.toLowerCase().split(/[\s;]/)[0] === version)

/** The SPF records of the domain: two of them count as none. Null where no server said. */
export function spfRecords(found: FoundTexts, domain: string): readonly string[] | null {
  const texts = found[asciiDomain(domain)] ?? null
  return texts === null ? null : withVersion(texts, 'v=spf1')
}

/** The policy of the domain, or of the nearest one above that has one. Null where no server said. */
export function dmarcRecords(found: FoundTexts, domain: string): readonly string[] | null {
  for (const name of dmarcNames(domain)) {
    const texts = found[name] ?? null
    if (texts === null) return null
    const records = withVersion(texts, 'v=dmarc1')
    if (records.length > 0) return records
  }
  return []
}

/** The names of the domain's policy and of those above it, which a receiver asks for when the domain itself has none; a top level domain has none. */
const dmarcNames = (domain: string): readonly string[] => {
  const labels = asciiDomain(domain).split('.')
  return labels
    .slice(0, -1)
    .map((_, n) => `_dmarc.${labels.slice(n).join('.')}`)
    .slice(0, 5)
}

/**
 * The terms of SPF that let these relays through; null where they are not known: a relay that only this machine or its network reaches sends under another
 * address.
 */
export function spfTerms(relays: readonly string[]): string | null {
  const terms = relays.flatMap((relay) => {
    const address = relay.replace(/^\[|\]$/g, '')
    if (isIP(address) === 0) return isLoopback(relay) ? [] : [`a:${relay}`]
    return isPublicAddress(address) ? [`ip${isIP(address)}:${address}`] : []
  })
  return terms.length === 0 ? null : terms.join(' ')
}

/** A sentence for each term of a record that looks for a name and has an address: a receiver finds none, so it lets no server through. */
export function uselessTerms(record: string): readonly string[] {
  return record.split(/\s+/).flatMap((term) => {
    const address = /^[-+~?]?(?:a|mx):\[?([^/\]]*)/i.exec(term)?.[1] ?? ''
    if (isIP(address) === 0) return []
    return isPublicAddress(address)
      ? `${quoted(term)} lets no server through, since it asks for a name: write ip${isIP(address)}:${address}.`
      : `${quoted(term)} lets no server through, and ${address} is none that a receiver sees: write the address that the relay sends from.`
  })
}

/** A policy that only asks for reports. */
export function dmarcPolicy(domain: string): string {
  return `v=DMARC1; p=none; rua=mailto:postmaster@${domain}`
}

/** A record of a stranger: printable ASCII, and not without end. */
export function printable(record: string, length: number): string {
  return record.slice(0, length).replace(/[^\x20-\x7e]/g, '?')
}

/** As a line of a terminal has it. */
export function quoted(record: string): string {
  return `"${printable(record, 200)}"`
}
