import { isIP } from 'node:net'
import { asciiDomain } from '@tidings/addresses'
import type { EventLog } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import type { Config } from '@tidings/config'
import { ownValue, workspace, workspaceStream } from '@tidings/domain'
import { createRecordLookups, isPublicAddress, type TextRecords } from '@tidings/outbound-http'
import { kyselyOn } from '@tidings/postgres'
import { isLoopback, relayHostsOf } from '@tidings/providers'
import { allWorkspaces, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'
import type { Finding } from './doctor-finding.ts'
import { dkimName, showsKey } from './sender-domain-dkim.ts'

/** `signs`: the key that its mail is signed with; null where the relay alone signs. */
export type SendingDomain = Readonly<{
  slug: string
  domain: string
  signs: Readonly<{ selector: string; publicKey: string }> | null
}>

const MAX_DOMAINS = 100
const AT_ONCE = 8

/** A line for each sender domain of each workspace, at most 100 of them; each look-up takes 5 s at most. */
export async function checkSenders(config: Config, stores: Readonly<{ pool: Pool; log: EventLog }>): Promise<readonly Finding[]> {
  const { domains, others } = await sendingDomains(stores)
  const relays = relayHostsOf(config.email.provider)
  const lookups = createRecordLookups(config.dns.servers)
  const findings: Finding[] = []
  for (let n = 0; n < domains.length; n += AT_ONCE)
    findings.push(...(await Promise.all(domains.slice(n, n + AT_ONCE).map((domain) => checkDomain(lookups, domain, relays)))))
  const more: Finding = { check: 'sender domains', ok: true, said: `${others} more were not looked at` }
  return others === 0 ? findings : [...findings, more]
}

const sendingDomains = async ({ pool, log }: Readonly<{ pool: Pool; log: EventLog }>) => {
  const { load } = createCommandRunner({ log })
  const domains: SendingDomain[] = []
  let others = 0
  for (const { slug, workspaceId } of await allWorkspaces(kyselyOn<ReadModels>(pool))) {
    const { state } = await load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
    for (const domain of Object.keys(state.senderDomains).toSorted()) {
      const { active, keys } = ownValue(state.dkim, domain) ?? { active: null, keys: {} }
      if (domains.length >= MAX_DOMAINS) others++
      else domains.push({ slug, domain, signs: active === null ? null : { selector: active, publicKey: keys[active] ?? '' } })
    }
  }
  return { domains, others }
}

type DoctorLine = Readonly<{ said: string; mend?: string; isWrong?: true }>

/** SPF (RFC 7208), DKIM (RFC 6376) and DMARC (RFC 7489) of a domain. Only a signature that cannot be verified is a failure: the rest is advice. */
export async function checkDomain(lookups: TextRecords, sending: SendingDomain, relays: readonly string[]): Promise<Finding> {
  const said = await Promise.all([spfOf(lookups, sending, relays), dkimOf(lookups, sending), dmarcOf(lookups, sending)])
  const mends = said.flatMap(({ mend }) => mend ?? [])
  return {
    check: `sender domain ${sending.domain} of ${sending.slug}`,
    ok: !said.some(({ isWrong }) => isWrong),
    said: `${said.map((one) => one.said).join('; ')}.`,
    ...(mends.length > 0 && { mend: mends.join(' ') }),
  }
}

const withVersion = (texts: readonly string[], version: string): readonly string[] =>
  texts.filter((text) => text.toLowerCase().split(/[\s;]/)[0] === version)

const spfOf = async ({ texts }: TextRecords, { domain }: SendingDomain, relays: readonly string[]): Promise<DoctorLine> => {
  const found = await texts(asciiDomain(domain))
  if (found === null) return { said: 'no server said whether it has SPF' }
  const [record, ...others] = withVersion(found, 'v=spf1')
  if (others.length > 0)
    return { said: 'SPF is there twice, so it counts as none', mend: `Publish one SPF record at ${domain} (RFC 7208).` }
  if (record !== undefined) return { said: `SPF is ${shown(record)}`, ...mendOfAddresses(record) }
  const servers = spfTerms(relays)
  return { said: 'no SPF', mend: `Publish ${domain} TXT "v=spf1 ${servers} ~all", or what your relay says.` }
}

/** Names and addresses of a relay as SPF has them; one that only this machine or its network reaches sends under another address, which is not known here. */
const spfTerms = (relays: readonly string[]): string => {
  const terms = relays.flatMap((relay) => {
    const address = relay.replace(/^\[|\]$/g, '')
    if (isIP(address) === 0) return isLoopback(relay) ? [] : [`a:${relay}`]
    return !isPublicAddress(address) ? [] : [`ip${isIP(address)}:${address}`]
  })
  return terms.length === 0 ? 'include:<your relay’s name>' : terms.join(' ')
}

/** `a:` and `mx:` look for a name. A receiver finds none that is an address, so such a term lets no server through. */
const mendOfAddresses = (record: string): Pick<DoctorLine, 'mend'> => {
  const wrong = record
    .split(/\s+/)
    .map((term) => ({ term, address: /^[-+~?]?(?:a|mx):\[?([^/\]]*)/i.exec(term)?.[1] ?? '' }))
    .filter(({ address }) => isIP(address) !== 0)
  if (wrong.length === 0) return {}
  const said = wrong.map(({ term, address }) =>
    isPublicAddress(address)
      ? `${shown(term)} lets no server through, since it asks for a name: write ip${isIP(address)}:${address}.`
      : `${shown(term)} lets no server through, and ${address} is none that a receiver sees: write the address that the relay sends from.`,
  )
  return { mend: said.join(' ') }
}

const dkimOf = async ({ texts }: TextRecords, { slug, domain, signs }: SendingDomain): Promise<DoctorLine> => {
  if (signs === null) return { said: 'DKIM is left to the relay' }
  const name = dkimName(domain, signs.selector)
  const found = await texts(name)
  if (found === null) return { said: `no server said whether ${name} shows the DKIM key` }
  if (showsKey(found, signs.publicKey)) return { said: `DKIM signs under ${signs.selector}, and DNS shows its key` }
  return {
    said: `DKIM signs under ${signs.selector}, and DNS does not show its key`,
    mend: `Publish ${name} TXT "v=DKIM1; k=rsa; p=${signs.publicKey}", or switch it off: \`tidings sender-domain dkim --workspace ${slug} --domain ${domain} --off\`.`,
    isWrong: true,
  }
}

const dmarcOf = async ({ texts }: TextRecords, { domain }: SendingDomain): Promise<DoctorLine> => {
  for (const parent of withParents(asciiDomain(domain))) {
    const found = await texts(`_dmarc.${parent}`)
    if (found === null) return { said: 'no server said whether it has DMARC' }
    const [record] = withVersion(found, 'v=dmarc1')
    if (record !== undefined) return { said: `DMARC is ${shown(record)}` }
  }
  return {
    said: 'no DMARC',
    mend: `Publish _dmarc.${domain} TXT "v=DMARC1; p=none; rua=mailto:postmaster@${domain}", and a stricter policy when the reports look right.`,
  }
}

/** The domain, and those above it, which a receiver asks for when the domain itself has no policy; not a top level domain. */
const withParents = (domain: string): readonly string[] => {
  const labels = domain.split('.')
  return labels
    .slice(0, -1)
    .map((_, n) => labels.slice(n).join('.'))
    .slice(0, 5)
}

/** A record of a stranger on a terminal: printable ASCII, and not without end. */
const shown = (record: string): string => `"${record.replace(/[^\x20-\x7e]/g, '?').slice(0, 200)}"`
