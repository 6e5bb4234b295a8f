import { asciiDomain } from '@tidings/addresses'
import {
  dkimTxt,
  dmarcPolicy,
  dmarcRecords,
  type FoundTexts,
  showsKey,
  spfRecords,
  spfTerms,
  type TxtRecord,
  uselessTerms,
} from '@tidings/administration'
import type { DnsRecord } from '@tidings/contracts'
import { type DkimOfDomain, ownValue } from '@tidings/domain'

/** `found`: null where DNS was not asked yet. */
type SendingDomain = Readonly<{
  domain: string
  proof: TxtRecord | null
  dkim: DkimOfDomain
  relays: readonly string[]
  found: FoundTexts | null
}>

/** The records that a domain is to publish, each with what was found of it. */
export function dnsRecords(sending: SendingDomain): DnsRecord[] {
  return [...proofRecord(sending), spfRecord(sending), ...dkimRecords(sending), dmarcRecord(sending)]
}

const plain = { selector: null, type: 'TXT', advice: null } as const

type Judged = Pick<DnsRecord, 'state' | 'found'>

/** `texts`: undefined where DNS was not asked, null where no server said. */
const judged = (texts: readonly string[] | null | undefined, isRight: (texts: readonly string[]) => boolean): Judged => {
  if (texts === undefined) return { state: 'unasked', found: [] }
  if (texts === null) return { state: 'unanswered', found: [] }
  if (isRight(texts)) return { state: 'found', found: [] }
  return { state: texts.length === 0 ? 'absent' : 'different', found: [...texts] }
}

const proofRecord = ({ proof, found }: SendingDomain): DnsRecord[] => {
  if (proof === null) return []
  const { name, value } = proof
  return [{ ...plain, kind: 'proof', name, value, ...judged(found?.[name], (texts) => texts.some((text) => text.trim() === value)) }]
}

const spfRecord = ({ domain, relays, found }: SendingDomain): DnsRecord => {
  const name = asciiDomain(domain)
  const terms = spfTerms(relays)
  const asked = found?.[name] === undefined ? undefined : spfRecords(found, domain)
  const records = asked ?? []
  const wrong = records.flatMap(uselessTerms)
  return {
    ...{ ...plain, kind: 'spf', name, value: terms === null ? null : `v=spf1 ${terms} ~all` },
    ...judged(asked, ({ length }) => length === 1 && wrong.length === 0),
    found: [...records],
    advice: records.length > 1 ? 'SPF is there twice, so it counts as none: publish one record.' : wrong.join(' ') || null,
  }
}

/** The key that signs, and the newest one, which waits to. */
export function shownSelectors({ active, keys }: DkimOfDomain): readonly string[] {
  const selectors = new Set([active, Object.keys(keys).at(-1)])
  return [...selectors].filter((selector) => typeof selector === 'string')
}

const dkimRecords = ({ domain, dkim, found }: SendingDomain): DnsRecord[] =>
  shownSelectors(dkim).map((selector) => {
    const publicKey = ownValue(dkim.keys, selector) ?? ''
    const { name, value } = dkimTxt(domain, { selector, publicKey })
    return { ...plain, kind: 'dkim', selector, name, value, ...judged(found?.[name], (texts) => showsKey(texts, publicKey)) }
  })

const dmarcRecord = ({ domain, found }: SendingDomain): DnsRecord => {
  const ascii = asciiDomain(domain)
  const name = `_dmarc.${ascii}`
  const asked = found?.[name] === undefined ? undefined : dmarcRecords(found, domain)
  return {
    ...{ ...plain, kind: 'dmarc', name, value: dmarcPolicy(ascii) },
    ...judged(asked, ({ length }) => length === 1),
    found: [...(asked ?? [])],
  }
}
