import {
  type AddressFacts,
  type ClaimKind,
  type ClaimState,
  type ContactState,
  claim,
  claimStream,
  contact,
  contactStream,
  holdsClaim,
  noFacts,
} from '@tidings/domain'
import type { AddressClaims } from './address-claims.ts'

type Wanted = Readonly<{ workspaceId: string; kind: ClaimKind; value: string }>
type Owner = Readonly<{ contactId: string; state: ContactState }>

/** The contact that holds the address by its own stream, or null. Two reads of the log; more for an address that one from before M46 may claim otherwise. */
export async function findOwner(claims: AddressClaims, { workspaceId, kind, value }: Wanted): Promise<string | null> {
  for (const { digest, older } of await claims.addressesOf(workspaceId, { [kind]: value }))
    for (const one of [digest, ...older]) {
      const owner = await ownerOf(claims, workspaceId, await claimOf(claims, workspaceId, { kind, digest: one }))
      if (owner !== null) return owner.contactId
    }
  return null
}

/** What is known of an address, and the contact that holds it. */
export type AddressNow = Readonly<{ facts: AddressFacts; owner: Owner | null }>

/** The same, with what is known of the address itself (M45). */
export async function addressNow(claims: AddressClaims, { workspaceId, kind, value }: Wanted): Promise<AddressNow> {
  const [address] = await claims.addressesOf(workspaceId, { [kind]: value })
  if (address === undefined) return { facts: noFacts, owner: null }
  const now = await claimOf(claims, workspaceId, address)
  let owner = await ownerOf(claims, workspaceId, now)
  for (const digest of address.older) owner ??= await ownerOf(claims, workspaceId, await claimOf(claims, workspaceId, { kind, digest }))
  return { facts: now.facts, owner }
}

async function claimOf(
  { options: { runner } }: AddressClaims,
  workspaceId: string,
  { kind, digest }: Readonly<{ kind: ClaimKind; digest: string }>,
): Promise<ClaimState> {
  const { state } = await runner.load({ decider: claim, stream: claimStream(workspaceId, kind, digest), workspaceId })
  return state
}

async function ownerOf({ options: { runner } }: AddressClaims, workspaceId: string, { holder }: ClaimState): Promise<Owner | null> {
  if (holder === null) return null
  const { ownerId, claimId } = holder
  const { state } = await runner.load({ decider: contact, stream: contactStream(workspaceId, ownerId), workspaceId })
  return holdsClaim(state, claimId) ? { contactId: ownerId, state } : null
}
