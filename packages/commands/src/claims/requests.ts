import type { AppendContext } from '@tidings/codec'
import type { ConsentStatement, ContactEvent, ContactPatch, ContactState } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { Draft } from '../draft.ts'

/** Normalised values (`@tidings/contact-points`). A missing one stays as it is. */
export type PointValues = Readonly<{ email?: string; phone?: string }>

/** All ids are derived from `context.commandId`: whoever repeats the request repeats the same appends. */
export type CreateRequest = PointValues &
  Readonly<{ context: AppendContext; details: ContactPatch; consents?: readonly ConsentStatement[]; source: string }>

/** `null` takes the value away. */
export type UpdateRequest = Readonly<{
  context: AppendContext
  contactId: string
  email?: string | null
  phone?: string | null
  details?: ContactPatch
  consents?: readonly ConsentStatement[]
}>

/** `knownId`: the contact that a cache matched, by email first and else by phone. It is checked again. */
export type UpsertRequest = CreateRequest & Readonly<{ knownId?: string }>

/** What is to be written with a new contact, of whom nothing is written yet; null when there is nothing. What it throws ends the creation. */
export type Along = (who: Readonly<{ contactId: string; state: ContactState }>) => Promise<Draft | null>

/** `position` is null when nothing was appended; `along` is where the `Along` of the request stands, if it was written. */
export type ResolvedContact = Readonly<{
  contactId: string
  created: boolean
  state: ContactState
  events: readonly ContactEvent[]
  position: Position | null
  along?: Position
}>

export type ContactPoints = Readonly<{
  /** Creates a contact; throws `ContactPointTaken` (`contact_email_taken`, `contact_phone_taken`). */
  create: (request: CreateRequest) => Promise<ResolvedContact>
  /** Changes a contact; throws `ContactPointTaken`, or `Refused('contact_not_found')`. */
  update: (request: UpdateRequest) => Promise<ResolvedContact>
  /** Changes the contact that has the email, else the one that has the phone, else creates one (decisions.md N269). */
  upsert: (request: UpsertRequest) => Promise<ResolvedContact>
  /**
   * Whoever has the email or phone, as they are; a new contact when nobody has. For exactly one of the two values. `along` may be asked
   * and still not be written: then it is the caller's to write.
   */
  resolveOrCreate: (request: CreateRequest, along?: Along) => Promise<ResolvedContact>
  /** Who holds the value by their own stream's word; null for nobody. Two reads of the log. */
  ownerOf: (workspaceId: string, kind: 'email' | 'phone', value: string) => Promise<string | null>
}>
