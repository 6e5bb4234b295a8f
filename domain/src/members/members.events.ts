import type { Event, EventDeclarations } from '../kernel.ts'

type Membership = { listId: string; contactId: string }

// Stored for ever: change only together with an upcast.
export type ContactAddedToList = Event<'ContactAddedToList', Membership>
export type ContactRemovedFromList = Event<'ContactRemovedFromList', Membership>
export type MembersEvent = ContactAddedToList | ContactRemovedFromList

export const membersDeclarations = {
  ContactAddedToList: { version: 1 },
  ContactRemovedFromList: { version: 1 },
} satisfies EventDeclarations & Record<MembersEvent['type'], unknown>
