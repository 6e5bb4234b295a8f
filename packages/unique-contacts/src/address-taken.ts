import { type ClaimKind, type ContactId, type ContactState, Refused } from '@tidings/domain'

/** Another contact has the address. Which one is for the program ("resolve or create"), never for the answer. */
export class AddressTaken extends Refused {
  readonly kind: ClaimKind
  readonly ownerId: ContactId
  readonly owner: ContactState
  constructor(kind: ClaimKind, ownerId: ContactId, owner: ContactState) {
    super(`contact_${kind}_taken`)
    this.kind = kind
    this.ownerId = ownerId
    this.owner = owner
  }
}
