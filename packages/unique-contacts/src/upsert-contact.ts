import { Busy } from '@tidings/commands'
import { type ContactId, Refused } from '@tidings/domain'
import type { AddressClaims } from './address-claims.ts'
import { AddressTaken } from './address-taken.ts'
import { findOwner } from './find-owner.ts'
import { createContact } from './new-contact.ts'
import type { CommittedContact, UpsertRequest } from './requests.ts'
import { isSameEmail, NoMatch, updateContact } from './update-contact.ts'

/** Changes the contact that has the email, else the one that has the phone, else creates one (N269). Throws `AddressTaken`. */
export async function upsertContact(claims: AddressClaims, request: UpsertRequest): Promise<CommittedContact> {
  const deadline = claims.deadline()
  let match: ContactId | null = request.knownId ?? null
  do {
    try {
      return match === null ? await createContact(claims, request) : await updateMatch(claims, request, match)
    } catch (error) {
      const taken = error instanceof AddressTaken
      if (!taken && !isNotFound(error) && !(error instanceof NoMatch)) throw error
      if (taken && error.kind === 'phone' && request.matchBy === 'email') throw error
      // A creation claims the email first: its owner is the match by email, or the match by phone where no contact has the email.
      const next = taken && match === null ? error.ownerId : await findMatch(claims, request)
      // The match by email is right, and the phone belongs to another contact.
      if (taken && next === match) throw error
      match = next
    }
  } while (claims.options.clock.now() < deadline)
  throw new Busy('the address stayed contended')
}

function updateMatch(claims: AddressClaims, request: UpsertRequest, contactId: ContactId): Promise<CommittedContact> {
  const { context, email, phone, details, consents, matchBy, ofMatch, draftsFor } = request
  const changes = {
    ...(email !== undefined && { email }),
    ...(ofMatch === 'fill' ? { fillsOnly: true } : phone !== undefined && { phone }),
    ...(consents && { consents }),
    ...(draftsFor && { draftsFor }),
  }
  return updateContact(
    claims,
    { context, contactId, details, ...changes },
    {
      matches: (state) => isSameEmail(state.email, email) || (matchBy === undefined && phone !== undefined && state.phone === phone),
    },
  )
}

async function findMatch(
  claims: AddressClaims,
  { context: { workspaceId }, email, phone, matchBy }: UpsertRequest,
): Promise<ContactId | null> {
  const byEmail = email === undefined ? null : await findOwner(claims, { workspaceId, kind: 'email', value: email })
  return byEmail ?? (phone === undefined || matchBy === 'email' ? null : findOwner(claims, { workspaceId, kind: 'phone', value: phone }))
}

function isNotFound(error: unknown): boolean {
  return error instanceof Refused && error.code === 'contact_not_found'
}
