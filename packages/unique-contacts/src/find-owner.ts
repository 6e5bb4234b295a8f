import { type ClaimKind, type ClaimState, claim, claimStream, contact, contactStream, holdsClaim } from '@tidings/domain'
import type { AddressClaims } from './address-claims.ts'

type Wanted = Readonly<{ workspaceId: string; kind: ClaimKind; value: string }>

/** The contact that holds the address by its own stream, or null. Two reads of the log; more for an address that one from before M46 may claim otherwise. */
export async function findOwner(claims: AddressClaims, { workspaceId, kind, value }: Wanted): Promise<string | null> {
  for (const { digest, older } of await claims.addressesOf(workspaceId, { [kind]: value }))
    for (const one of [digest, ...older]) {
      const ownerId = await holderOf(claims, workspaceId, claimStream(workspaceId, kind, one))
      if (ownerId !== null) return ownerId
    }
  return null
}

async function holderOf({ options: { runner } }: AddressClaims, workspaceId: string, stream: string): Promise<string | null> {
  const { state }: { state: ClaimState } = await runner.load({ decider: claim, stream, workspaceId })
  if (state.holder === null) return null
  const { ownerId, claimId } = state.holder
  const owner = await runner.load({ decider: contact, stream: contactStream(workspaceId, ownerId), workspaceId })
  return holdsClaim(owner.state, claimId) ? ownerId : null
}
