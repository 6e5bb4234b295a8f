import { type ClaimKind, type ClaimState, claim, claimStream, contact, contactStream, holdsClaim } from '@tidings/domain'
import type { AddressClaims } from './address-claims.ts'

type Wanted = Readonly<{ workspaceId: string; kind: ClaimKind; value: string }>

/** The contact that holds the address by its own stream, or null. Two reads of the log. */
export async function findOwner(
  { options: { runner, claimDigest } }: AddressClaims,
  { workspaceId, kind, value }: Wanted,
): Promise<string | null> {
  const stream = claimStream(workspaceId, kind, await claimDigest(workspaceId, kind, value))
  const { state }: { state: ClaimState } = await runner.load({ decider: claim, stream, workspaceId })
  if (state.holder === null) return null
  const { ownerId, claimId } = state.holder
  const owner = await runner.load({ decider: contact, stream: contactStream(workspaceId, ownerId), workspaceId })
  return holdsClaim(owner.state, claimId) ? ownerId : null
}
