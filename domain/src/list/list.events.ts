import type { Event, EventDeclarations } from '../kernel.ts'

/** The members of a static list are added and removed by name; those of a dynamic one follow a rule. */
export type ListType = 'static' | 'dynamic'

// Stored for ever: change only together with an upcast.
export type ListCreated = Event<'ListCreated', { listId: string; name: string; listType: ListType }>
export type ListEvent = ListCreated

export const listDeclarations = {
  ListCreated: { version: 1 },
} satisfies EventDeclarations & Record<ListEvent['type'], unknown>
