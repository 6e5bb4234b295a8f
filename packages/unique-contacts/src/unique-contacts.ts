import type { AppendContext } from '@tidings/codec'
import { type Clock, type Draft, systemClock } from '@tidings/commands'
import type { ContactId, ContactState, WorkspaceId } from '@tidings/domain'
import { createAddressClaims, type UniqueContactsOptions } from './address-claims.ts'
import { AddressTaken } from './address-taken.ts'
import { liftAddressFacts, type NoteFactsRequest, noteAddressFacts } from './facts.ts'
import { type AddressNow, addressNow, findOwner } from './find-owner.ts'
import { commitNew, createContact, type NewContact, prepareNew } from './new-contact.ts'
import type { CommittedContact, CreateRequest, ResolvedContact, UpdateRequest, UpsertRequest } from './requests.ts'
import { createSharedWork } from './shared-work.ts'
import { updateContact } from './update-contact.ts'
import { upsertContact } from './upsert-contact.ts'

export type UniqueContacts = Readonly<{
  /** Creates a contact; throws `AddressTaken` (`contact_email_taken`, `contact_phone_taken`). */
  create: (request: CreateRequest) => Promise<ResolvedContact>
  /** Changes a contact; throws `AddressTaken`, or `Refused('contact_not_found')`. */
  update: (request: UpdateRequest) => Promise<CommittedContact>
  /** Changes the contact that has the email, else the one that has the phone, else creates one (N269). */
  upsert: (request: UpsertRequest) => Promise<CommittedContact>
  /** The contact that has the email, else the one that has the phone, or a new one with both. For at least one of the two values. */
  resolveOrCreate: (request: CreateRequest) => Promise<ResolvedContact>
  /** Decides the contact that `resolveOrCreate` would create; writes nothing. For at least one of the two values. */
  prepareNew: (request: CreateRequest) => Promise<NewContact>
  /**
   * Writes a prepared contact, and the drafts in the same append if `prepared.drafts` is there and the addresses are free; else answers
   * with the contact that has the address, or that was created alone, and `appended` is empty: then the caller writes the drafts' commands.
   */
  commit: (prepared: NewContact, drafts: readonly Draft[]) => Promise<CommittedContact>
  /** Like `commit`, but throws `AddressTaken` if another contact has the address. */
  commitNew: (prepared: NewContact, drafts: readonly Draft[]) => Promise<CommittedContact>
  /** The contact that holds the value by its own stream, or null. Two reads of the log. */
  ownerOf: (workspaceId: WorkspaceId, kind: 'email' | 'phone', value: string) => Promise<ContactId | null>
  /** What is known of the address, and the contact that holds it (M45). Two reads of the log. */
  addressNow: (workspaceId: WorkspaceId, kind: 'email' | 'phone', value: string) => Promise<AddressNow>
  /** Keeps what was found out of an address, and answers with the contact that has it and is to be notified (M45). */
  noteFacts: (request: NoteFactsRequest) => Promise<Readonly<{ contactId: ContactId; state: ContactState }> | null>
  /** Nothing is known against the addresses any more (G44, M45). */
  liftFacts: (request: Readonly<{ context: AppendContext; email: string | null; phone: string | null }>) => Promise<void>
}>

/** Contacts with unique emails and phone numbers, by the claim protocol (`claim-protocol.ts`). */
export function createUniqueContacts(options: Omit<UniqueContactsOptions, 'clock'> & Partial<Readonly<{ clock: Clock }>>): UniqueContacts {
  const claims = createAddressClaims({ clock: systemClock, ...options })
  const resolving = createSharedWork<CommittedContact>()

  /** A burst to one new address is one creation, and one read of the log for all that arrive meanwhile. */
  const resolve = async ({ context, email = '', phone = '' }: CreateRequest, write: () => Promise<CommittedContact>) => {
    let ran = false
    const resolved = await resolving(`${context.workspaceId} ${email} ${phone}`, () => {
      ran = true
      return write().catch(ownerOrThrow)
    })
    return ran ? resolved : existing(resolved.contactId, resolved.state)
  }

  return {
    create: (request) => createContact(claims, request),
    update: (request) => updateContact(claims, request),
    upsert: (request) => upsertContact(claims, request),
    resolveOrCreate: (request) => resolve(request, () => createContact(claims, request)),
    prepareNew: (request) => prepareNew(claims, request),
    commit: (prepared, drafts) => resolve(prepared.request, () => commitNew(claims, prepared, drafts)),
    commitNew: (prepared, drafts) => commitNew(claims, prepared, drafts),
    noteFacts: (request) => noteAddressFacts(claims, request),
    liftFacts: (request) => liftAddressFacts(claims, request),
    addressNow: (workspaceId, kind, value) => addressNow(claims, { workspaceId, kind, value }),
    ownerOf: (workspaceId, kind, value) => findOwner(claims, { workspaceId, kind, value }),
  }
}

function ownerOrThrow(error: unknown): CommittedContact {
  if (error instanceof AddressTaken) return existing(error.ownerId, error.owner)
  throw error
}

function existing(contactId: ContactId, state: ContactState): CommittedContact {
  return { contactId, created: false, state, events: [], position: null, appended: [] }
}
