import {
  dkimName,
  dkimTxt,
  dmarcPolicy,
  dmarcRecords,
  type FoundTexts,
  lookUpTexts,
  quoted,
  showsKey,
  spfRecords,
  spfTerms,
  uselessTerms,
} from '@tidings/administration'
import type { EventLog } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import type { Config } from '@tidings/config'
import { ownValue, workspace, workspaceStream } from '@tidings/domain'
import { createRecordLookups, type TextRecords } from '@tidings/outbound-http'
import { kyselyOn } from '@tidings/postgres'
import { relayHostsOf } from '@tidings/providers'
import { allWorkspaces, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'
import type { Finding } from './finding.ts'

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
  const found = await lookUpTexts(lookups, sending.domain, sending.signs === null ? [] : [sending.signs.selector])
  const said = [spfOf(found, sending, relays), dkimOf(found, sending), dmarcOf(found, sending)]
  const mends = said.flatMap(({ mend }) => mend ?? [])
  return {
    check: `sender domain ${sending.domain} of ${sending.slug}`,
    ok: !said.some(({ isWrong }) => isWrong),
    said: `${said.map((one) => one.said).join('; ')}.`,
    ...(mends.length > 0 && { mend: mends.join(' ') }),
  }
}

const spfOf = (found: FoundTexts, { domain }: SendingDomain, relays: readonly string[]): DoctorLine => {
  const records = spfRecords(found, domain)
  if (records === null) return { said: 'no server said whether it has SPF' }
  const [record, ...others] = records
  if (others.length > 0)
    return { said: 'SPF is there twice, so it counts as none', mend: `Publish one SPF record at ${domain} (RFC 7208).` }
  if (record !== undefined) {
    const wrong = uselessTerms(record)
    return { said: `SPF is ${quoted(record)}`, ...(wrong.length > 0 && { mend: wrong.join(' ') }) }
  }
  const servers = spfTerms(relays) ?? 'include:<your relay’s name>'
  return { said: 'no SPF', mend: `Publish ${domain} TXT "v=spf1 ${servers} ~all", or what your relay says.` }
}

const dkimOf = (found: FoundTexts, { slug, domain, signs }: SendingDomain): DoctorLine => {
  if (signs === null) return { said: 'DKIM is left to the relay' }
  const texts = found[dkimName(domain, signs.selector)] ?? null
  const { name, value } = dkimTxt(domain, signs)
  if (texts === null) return { said: `no server said whether ${name} shows the DKIM key` }
  if (showsKey(texts, signs.publicKey)) return { said: `DKIM signs under ${signs.selector}, and DNS shows its key` }
  return {
    said: `DKIM signs under ${signs.selector}, and DNS does not show its key`,
    mend: `Publish ${name} TXT "${value}", or switch it off: \`tidings sender-domain dkim --workspace ${slug} --domain ${domain} --off\`.`,
    isWrong: true,
  }
}

const dmarcOf = (found: FoundTexts, { domain }: SendingDomain): DoctorLine => {
  const records = dmarcRecords(found, domain)
  if (records === null) return { said: 'no server said whether it has DMARC' }
  const [record] = records
  if (record !== undefined) return { said: `DMARC is ${quoted(record)}` }
  return {
    said: 'no DMARC',
    mend: `Publish _dmarc.${domain} TXT "${dmarcPolicy(domain)}", and a stricter policy when the reports look right.`,
  }
}
