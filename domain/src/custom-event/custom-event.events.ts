import type { Event, EventDeclarations } from '../kernel.ts'

// Stored for ever: change only together with an upcast.
/** What holds for the custom event now, as a whole. */
export type CustomEventDeclared = Event<
  'CustomEventDeclared',
  { eventId: string; name: string; label: string; properties: readonly string[]; retired: boolean }
>
export type CustomEventEvent = CustomEventDeclared

export const customEventDeclarations = {
  CustomEventDeclared: { version: 1 },
} satisfies EventDeclarations & Record<CustomEventEvent['type'], unknown>
