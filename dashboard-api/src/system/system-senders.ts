import type { SystemSender } from '@tidings/contracts'
import { effectiveDomain, type SenderAddress, type SenderDomain, type SenderIdStatus } from '@tidings/domain'
import { etagOf } from '../editing/editable.ts'

type Decisions = SystemSender['decisions']
type Owner = Readonly<{ slug: string; name: string }>
type Sms = Readonly<{ id: string; status: SenderIdStatus; reason: string | null }>
type Domain = Pick<SenderDomain, 'domain' | 'verified' | 'blocklisted' | 'proof' | 'listedIn'>
type Address = Pick<SenderAddress, 'addressId' | 'email' | 'name' | 'status' | 'isConfirmed'>

/** What a decision is judged by (M74): what operators say of it, and not what DNS says meanwhile. */
export const decidedIn = {
  sms: ({ id, status }: Pick<Sms, 'id' | 'status'>) => ({ id, status }),
  domain: ({ domain, verified, blocklisted }: Pick<Domain, 'domain' | 'verified' | 'blocklisted'>) => ({ domain, verified, blocklisted }),
  address: ({ email, name, status }: Pick<Address, 'email' | 'name' | 'status'>) => ({ email, name, status }),
} as const

const OF_SMS: Readonly<Record<SenderIdStatus, Decisions>> = {
  pending: ['approve', 'refuse'],
  approved: ['withdraw', 'refuse'],
  deactivated: ['approve', 'refuse'],
  rejected: [],
}

const ofOwner = ({ slug, name }: Owner) => ({ workspace: slug, workspaceName: name })

export function smsSender(owner: Owner, sms: Sms): SystemSender {
  const { id, status, reason } = sms
  const etag = etagOf(decidedIn.sms(sms))
  return { ...ofOwner(owner), kind: 'sms', id, name: id, status, note: reason, decisions: OF_SMS[status], etag }
}

/** The operator's word stands before what DNS says (M25), so a domain that DNS proves can be refused. */
export function domainSender(owner: Owner, known: Domain): SystemSender {
  const { domain, verified } = known
  const status = verified === false ? 'rejected' : effectiveDomain(known).verified ? 'verified' : 'pending'
  const decisions: Decisions = verified === null ? ['approve', 'refuse'] : [verified ? 'refuse' : 'approve', 'withdraw']
  const etag = etagOf(decidedIn.domain(known))
  return { ...ofOwner(owner), kind: 'domain', id: domain, name: domain, status, note: null, decisions, etag }
}

/** Operators vouch for a mailbox, and take that back; nothing else refuses an address but its mailbox (M14). */
export function addressSender(owner: Owner, address: Address, note: string | null): SystemSender {
  const { addressId, email, status, isConfirmed } = address
  const decisions: Decisions = status !== 'verified' ? ['approve'] : isConfirmed ? [] : ['withdraw']
  const etag = etagOf(decidedIn.address(address))
  return { ...ofOwner(owner), kind: 'address', id: addressId, name: email, status, note, decisions, etag }
}
