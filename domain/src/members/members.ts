import type { ContactId, ListId, WorkspaceId } from '../ids.ts'
import type { Command, Decider, Event, EventDeclarations } from '../kernel.ts'

/**
 * The reason for which a contact is on a list or off it: a request named it (only of static lists), or the list's rule says so since the contact changed,
 * since an event of the contact, since so much time went by, or since the rule was made or changed; or the person is forgotten.
 */
export type MembershipReason = 'request' | 'contact' | 'event' | 'time' | 'rule' | 'erasure'

type Membership = { listId: ListId; contactId: ContactId; reason: MembershipReason }

// Stored for ever: change only together with an upcast.
export type ContactAddedToList = Event<'ContactAddedToList', Membership>
export type ContactRemovedFromList = Event<'ContactRemovedFromList', Membership>
export type MembersEvent = ContactAddedToList | ContactRemovedFromList

export const membersDeclarations = {
  ContactAddedToList: { version: 2 },
  ContactRemovedFromList: { version: 2 },
} as const satisfies EventDeclarations & Record<MembersEvent['type'], unknown>

/** The contacts of one bucket that are on the list: some tens of them even on a list of a million. */
type MembersState = readonly string[]

/** A change without a reason came by request. */
type SomeMembers = { listId: ListId; contactIds: readonly ContactId[]; reason?: MembershipReason }

/** All of `contactIds` belong to the bucket. Members already on the list are skipped. */
type AddMembers = Command<'AddMembers', SomeMembers>
/** All of `contactIds` belong to the bucket. Contacts not on the list are skipped. */
type RemoveMembers = Command<'RemoveMembers', SomeMembers>
export type MembersCommand = AddMembers | RemoveMembers

/**
 * The bucket of a contact: the last four hex digits of its id, which are random in every version that we make. So a list has up to
 * 65 536 buckets, and a command folds those of the contacts it names (docs/adr/0008). It names streams and must never change.
 */
export function bucketOf(contactId: ContactId): string {
  return contactId.slice(-4)
}

/** The members of a list whose ids fall into one bucket. */
export function membersStream(workspaceId: WorkspaceId, listId: ListId, bucket: string): string {
  return `members-${workspaceId}-${listId}-${bucket}`
}

const decide = ({ type, data }: MembersCommand, members: MembersState): readonly MembersEvent[] => {
  const { listId, contactIds, reason = 'request' } = data
  const isWanted = type === 'AddMembers'
  const changed = [...new Set(contactIds)].filter((contactId) => members.includes(contactId) !== isWanted)
  return changed.map((contactId) => ({
    type: isWanted ? 'ContactAddedToList' : 'ContactRemovedFromList',
    data: { listId, contactId, reason },
  }))
}

const evolve = (members: MembersState, { type, data: { contactId } }: MembersEvent): MembersState => {
  switch (type) {
    case 'ContactAddedToList':
      return [...members, contactId]
    case 'ContactRemovedFromList':
      return members.filter((member) => member !== contactId)
    default:
      return type satisfies never
  }
}

/** The members of a list in one bucket: one event for each contact that is added or removed. Nothing is refused. */
export const members: Decider<MembersCommand, MembersEvent, MembersState> = { decide, evolve, initialState: [], hot: true }
