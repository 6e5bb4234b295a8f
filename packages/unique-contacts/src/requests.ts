import type { AppendContext } from '@tidings/codec'
import type { Draft } from '@tidings/commands'
import type { ConsentStatement, ContactEvent, ContactId, ContactPatch, ContactState } from '@tidings/domain'
import type { Appended, Position } from '@tidings/event-store'

/** Normalised values (`@tidings/addresses`). A missing one stays as it is. */
export type AddressValues = Readonly<{ email?: string; phone?: string }>

/** What is to be written in one append with the contact, where that can be: `appended` of the answer says whether it was. */
type TogetherOptions = Readonly<{ draftsFor?: (contactId: ContactId) => Promise<readonly Draft[]> }>

/** All ids are derived from `context.commandId`: a repeated request repeats the same appends. */
export type CreateRequest = AddressValues &
  TogetherOptions &
  Readonly<{ context: AppendContext; details: ContactPatch; consents?: readonly ConsentStatement[]; source: string }>

/** `null` takes the address away. */
export type UpdateRequest = TogetherOptions &
  Readonly<{
    context: AppendContext
    contactId: ContactId
    email?: string | null
    phone?: string | null
    details?: ContactPatch
    /** Only what is empty of the details is set. */
    fillsOnly?: boolean
    consents?: readonly ConsentStatement[]
  }>

/**
 * `knownId`: the contact that a cache matched, by email first and else by phone. It is checked again. `matchBy: 'email'`: a contact that has
 * only the phone is no match, and refuses it: a stranger who knows a number must not give its contact another email.
 * `ofMatch: 'fill'`: a contact that is there keeps its phone, none included, and all details that are not empty (M63).
 */
export type UpsertRequest = CreateRequest & Readonly<{ knownId?: ContactId; matchBy?: 'email'; ofMatch?: 'fill' }>

/** `position` is null when nothing was appended. */
export type ResolvedContact = Readonly<{
  contactId: ContactId
  created: boolean
  state: ContactState
  events: readonly ContactEvent[]
  position: Position | null
}>

/** `appended`: where the drafts are that were committed with the contact; empty if they were not written. */
export type CommittedContact = ResolvedContact & Readonly<{ appended: readonly Appended[] }>
