import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'

// Stored for ever: change only together with an upcast.
/** `ownerId` may hold the value, if its own stream says so under this claim id. */
type ClaimTaken = Event<'ClaimTaken', { claimId: string; ownerId: string }>
type ClaimReleased = Event<'ClaimReleased', { claimId: string }>
export type ClaimEvent = ClaimTaken | ClaimReleased

export const claimDeclarations = {
  ClaimTaken: { version: 1 },
  ClaimReleased: { version: 1 },
} as const satisfies EventDeclarations & Record<ClaimEvent['type'], unknown>

export type ClaimKind = 'email' | 'phone'

/** The contact that may hold one value, or null. Whether it does is in the owner's own stream. */
export type ClaimState = Readonly<{ holder: Readonly<{ claimId: string; ownerId: string }> | null }>

/** `insteadOf` takes the claim over from exactly that claim id, after its owner was fenced or gave the value up. */
type TakeClaim = Command<'TakeClaim', { claimId: string; ownerId: string; insteadOf?: string }>
type ReleaseClaim = Command<'ReleaseClaim', { claimId: string }>
type ClaimCommand = TakeClaim | ReleaseClaim

/** One stream a value. `digest` is the keyed digest of the normalised value, without dashes: the value itself stays out of the log. */
export function claimStream(workspaceId: string, kind: ClaimKind, digest: string): string {
  return `claim-${workspaceId}-${kind}.${digest}`
}

const decide = ({ type, data }: ClaimCommand, { holder }: ClaimState): readonly ClaimEvent[] => {
  if (type === 'ReleaseClaim') return holder?.claimId === data.claimId ? [{ type: 'ClaimReleased', data: { claimId: data.claimId } }] : []
  const { claimId, ownerId, insteadOf } = data
  if (holder?.claimId === claimId) return []
  if (holder !== null && holder.claimId !== insteadOf) throw new Refused('claim_held', holder)
  return [{ type: 'ClaimTaken', data: { claimId, ownerId } }]
}

const evolve = (_: ClaimState, event: ClaimEvent): ClaimState => {
  switch (event.type) {
    case 'ClaimTaken':
      return { holder: event.data }
    case 'ClaimReleased':
      return { holder: null }
    default:
      return event satisfies never
  }
}

/** First step of the uniqueness of email and phone; the protocol is in packages/unique-contacts. */
export const claim: Decider<ClaimCommand, ClaimEvent, ClaimState> = { decide, evolve, initialState: { holder: null } }
