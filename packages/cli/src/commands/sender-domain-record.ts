import type { DomainRecord, TxtRecord } from '@tidings/administration'

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
