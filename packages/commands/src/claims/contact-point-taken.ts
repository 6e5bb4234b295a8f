import { type ClaimKind, type ContactState, Refused } from '@tidings/domain'

/** Somebody else holds the value. Who, is for the program ("resolve or create"), never for the answer. */
export class ContactPointTaken extends Refused {
  readonly kind: ClaimKind
  readonly ownerId: string
  readonly owner: ContactState
  constructor(kind: ClaimKind, ownerId: string, owner: ContactState) {
    super(`contact_${kind}_taken`)
    this.kind = kind
    this.ownerId = ownerId
    this.owner = owner
  }
}

/** True for the decider's "a fence forbids this claim id": the protocol starts again with new ids. */
export const isClaimLost = (error: unknown): boolean => error instanceof Refused && error.code === 'claim_lost'
