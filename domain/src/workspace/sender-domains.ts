import { type Command, type Event, type EventDeclarations, Refused } from '../kernel.ts'
import { ownValue, sameJson } from '../values.ts'

type SenderDomainRef = Readonly<{ domain: string }>

/** What DNS last said of the TXT record of a domain (M25). `missing`: it was found before, and may come back; `lost`: it did not. */
export type DomainProof = 'found' | 'missing' | 'lost'

// Stored for ever: change only together with an upcast.
/** The operator's words about a domain, all of them; null where DNS decides (since version 2). */
type SenderDomainConfigured = Event<'SenderDomainConfigured', SenderDomainRef & { verified: boolean | null; blocklisted: boolean | null }>
/** What the TXT record `_tidings.<domain>` must hold. Issued once a domain of a workspace. */
type SenderDomainTokenIssued = Event<'SenderDomainTokenIssued', SenderDomainRef & { token: string }>
/** What DNS says of a domain, where it differs from before. `listedIn`: blocklist zones, sorted. `proof`: null while never found. */
type SenderDomainChecked = Event<
  'SenderDomainChecked',
  SenderDomainRef & { proof: DomainProof | null; listedIn: readonly string[]; at: string }
>
export type SenderDomainEvent = SenderDomainConfigured | SenderDomainTokenIssued | SenderDomainChecked

export const senderDomainDeclarations = {
  SenderDomainConfigured: { version: 2 },
  SenderDomainTokenIssued: { version: 1 },
  SenderDomainChecked: { version: 1 },
} as const satisfies EventDeclarations & Record<SenderDomainEvent['type'], unknown>

/** `token`: what the domain gets where it has none yet. */
type ConfigureSenderDomain = Command<'ConfigureSenderDomain', SenderDomainConfigured['data'] & { token?: string }>
/** One round of look-ups. `proof`: null where no server said whether the record is there. `listedIn`: null where it was not asked. */
type RecordDomainCheck = Command<
  'RecordDomainCheck',
  SenderDomainRef & { proof: 'found' | 'absent' | null; listedIn: readonly string[] | null; at: string }
>
export type SenderDomainCommand = ConfigureSenderDomain | RecordDomainCheck

/** `missingSince`: ISO, of the first look-up that did not find the record any more. */
export type SenderDomain = SenderDomainConfigured['data'] &
  Readonly<{ token: string | null; proof: DomainProof | null; listedIn: readonly string[]; missingSince: string | null }>
export type SenderDomains = Readonly<Record<string, SenderDomain>>

/** A record that is gone for less than this proves the domain still: name servers are moved, zones restored. */
const GRACE_MS = 3 * 24 * 60 * 60 * 1_000

/** What holds: the operator's word, else what DNS said. */
export function effectiveDomain({
  verified,
  blocklisted,
  proof,
  listedIn,
}: Pick<SenderDomain, 'verified' | 'blocklisted' | 'proof' | 'listedIn'>) {
  return {
    verified: verified ?? (proof === 'found' || proof === 'missing'),
    blocklisted: blocklisted ?? listedIn.length > 0,
  }
}

export function decideSenderDomain(command: SenderDomainCommand, domains: SenderDomains): readonly SenderDomainEvent[] {
  switch (command.type) {
    case 'ConfigureSenderDomain':
      return configure(command.data, ownValue(domains, command.data.domain))
    case 'RecordDomainCheck':
      return recordCheck(command.data, ownValue(domains, command.data.domain))
    default:
      return command satisfies never
  }
}

const configure = ({ token, ...wanted }: ConfigureSenderDomain['data'], known: SenderDomain | undefined): readonly SenderDomainEvent[] => {
  const { domain, verified, blocklisted } = wanted
  const isSo = known !== undefined && known.verified === verified && known.blocklisted === blocklisted
  return [
    ...(isSo ? [] : [{ type: 'SenderDomainConfigured', data: wanted } as const]),
    ...(token === undefined || known?.token ? [] : [{ type: 'SenderDomainTokenIssued', data: { domain, token } } as const]),
  ]
}

const recordCheck = (said: RecordDomainCheck['data'], known: SenderDomain | undefined): readonly SenderDomainEvent[] => {
  if (known === undefined) throw new Refused('sender_domain_not_found')
  const { domain, at } = said
  const data = { proof: nextProof(said, known), listedIn: (said.listedIn ?? known.listedIn).toSorted() }
  const isSo = data.proof === known.proof && sameJson(data.listedIn, known.listedIn)
  return isSo ? [] : [{ type: 'SenderDomainChecked', data: { domain, ...data, at } }]
}

const nextProof = ({ proof, at }: RecordDomainCheck['data'], known: SenderDomain): DomainProof | null => {
  if (proof === null) return known.proof
  if (proof === 'found') return 'found'
  if (known.proof === 'found') return 'missing'
  const isOver = known.missingSince !== null && Date.parse(at) - Date.parse(known.missingSince) >= GRACE_MS
  return known.proof === 'missing' && isOver ? 'lost' : known.proof
}

export function evolveSenderDomains(domains: SenderDomains, event: SenderDomainEvent): SenderDomains {
  const { domain } = event.data
  const known = ownValue(domains, domain) ?? {
    domain,
    verified: null,
    blocklisted: null,
    token: null,
    proof: null,
    listedIn: [],
    missingSince: null,
  }
  return { ...domains, [domain]: evolve(known, event) }
}

const evolve = (known: SenderDomain, event: SenderDomainEvent): SenderDomain => {
  switch (event.type) {
    case 'SenderDomainConfigured':
      return { ...known, ...event.data }
    case 'SenderDomainTokenIssued':
      return { ...known, token: event.data.token }
    case 'SenderDomainChecked': {
      const { proof, listedIn, at } = event.data
      return { ...known, proof, listedIn, missingSince: proof === 'missing' ? (known.missingSince ?? at) : null }
    }
    default:
      return event satisfies never
  }
}
