import {
  type AddressFacts,
  type ClaimKind,
  type ClaimState,
  type ContactId,
  type ContactState,
  claim,
  claimStream,
  contact,
  contactStream,
  hasClaim,
  noFacts,
  type WorkspaceId,
} from '@tidings/domain'
import { type Address, type AddressClaims, eldest } from './address-claims.ts'

type AddressToFind = Readonly<{ workspaceId: WorkspaceId; kind: ClaimKind; value: string }>
type Owner = Readonly<{ contactId: ContactId; state: ContactState }>

/** The contact that holds the address by its own stream, or null. Two reads of the log; more for an address that one from before M46 may claim otherwise. */
export async function findOwner(claims: AddressClaims, { workspaceId, kind, value }: AddressToFind): Promise<ContactId | null> {
  const [address] = await claims.addressesOf(workspaceId, { [kind]: value })
  if (address === undefined) return null
  const owner = await eldestOwner(claims, { workspaceId, address, now: await claimOf(claims, workspaceId, address) })
  return owner?.contactId ?? null
}

type ClaimedNow = Readonly<{ workspaceId: WorkspaceId; address: Address; now: ClaimState }>

/** Versions before M46 may have made a contact of each spelling: then it is the eldest, which reads find as well. */
async function eldestOwner(claims: AddressClaims, { workspaceId, address: { kind, older }, now }: ClaimedNow): Promise<Owner | null> {
  const states = [now, ...(await Promise.all(older.map((digest) => claimOf(claims, workspaceId, { kind, digest }))))]
  const owners = await Promise.all(states.map((state) => ownerOf(claims, workspaceId, state)))
  return eldest(owners.map((owner) => owner && { ...owner, ownerId: owner.contactId }))
}

/** What is known of an address, and the contact that holds it. */
export type AddressNow = Readonly<{ facts: AddressFacts; owner: Owner | null }>

/** The same, with what is known of the address itself (M45). */
export async function addressNow(claims: AddressClaims, { workspaceId, kind, value }: AddressToFind): Promise<AddressNow> {
  const [address] = await claims.addressesOf(workspaceId, { [kind]: value })
  if (address === undefined) return { facts: noFacts, owner: null }
  const now = await claimOf(claims, workspaceId, address)
  return { facts: now.facts, owner: await eldestOwner(claims, { workspaceId, address, now }) }
}

async function claimOf(
  { options: { runner } }: AddressClaims,
  workspaceId: WorkspaceId,
  { kind, digest }: Readonly<{ kind: ClaimKind; digest: string }>,
): Promise<ClaimState> {
  const { state } = await runner.load({ decider: claim, stream: claimStream(workspaceId, kind, digest), workspaceId })
  return state
}

async function ownerOf({ options: { runner } }: AddressClaims, workspaceId: WorkspaceId, { holder }: ClaimState): Promise<Owner | null> {
  if (holder === null) return null
  const { ownerId, claimId } = holder
  const { state } = await runner.load({ decider: contact, stream: contactStream(workspaceId, ownerId), workspaceId })
  return hasClaim(state, claimId) ? { contactId: ownerId, state } : null
}
