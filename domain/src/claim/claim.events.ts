import type { Event, EventDeclarations } from '../kernel.ts'

// Stored for ever: change only together with an upcast.
/** `ownerId` may hold the value, if its own stream says so under this claim id. */
export type ClaimTaken = Event<'ClaimTaken', { claimId: string; ownerId: string }>
export type ClaimReleased = Event<'ClaimReleased', { claimId: string }>
export type ClaimEvent = ClaimTaken | ClaimReleased

export const claimDeclarations = {
  ClaimTaken: { version: 1 },
  ClaimReleased: { version: 1 },
} satisfies EventDeclarations & Record<ClaimEvent['type'], unknown>
