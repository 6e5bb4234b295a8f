import type { WorkspaceId } from '../ids.ts'
import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'
import { sameJson } from '../values.ts'
import { MESSAGE_EVENTS, WEBHOOK_EVENTS } from '../webhooks/webhook-names.ts'

// Stored for ever: change only together with an upcast.
/** What holds for the custom event now, as a whole. */
type CustomEventDeclared = Event<
  'CustomEventDeclared',
  { eventId: string; name: string; label: string; properties: readonly string[]; retired: boolean }
>
export type CustomEventEvent = CustomEventDeclared

export const customEventDeclarations = {
  CustomEventDeclared: { version: 1 },
} as const satisfies EventDeclarations & Record<CustomEventEvent['type'], unknown>

/** Null until it is declared. */
type CustomEventState = CustomEventDeclared['data'] | null

/** Makes the entry be as described. Its id comes from workspace and name, so its name never changes. */
export type DeclareCustomEvent = Command<'DeclareCustomEvent', CustomEventDeclared['data']>

export function customEventStream(workspaceId: WorkspaceId, eventId: string): string {
  return `customevent-${workspaceId}-${eventId}`
}

/** Custom events that people may declare; a workspace file may have more. */
export const MAX_CUSTOM_EVENTS = 500

const builtIn: ReadonlySet<string> = new Set([...WEBHOOK_EVENTS, ...MESSAGE_EVENTS])

/** The names of built-in events are reserved (M17), those of single messages too (M64). */
export function isReservedEventName(name: string): boolean {
  return builtIn.has(name)
}

const decide = ({ data }: DeclareCustomEvent, state: CustomEventState): readonly CustomEventEvent[] => {
  if (isReservedEventName(data.name)) throw new Refused('event_name_reserved')
  return sameJson(data, state) ? [] : [{ type: 'CustomEventDeclared', data }]
}

const evolve = (_: CustomEventState, { data }: CustomEventEvent): CustomEventState => data

/** An entry of the workspace's event catalogue; a retired one is not listed. */
export const customEvent: Decider<DeclareCustomEvent, CustomEventEvent, CustomEventState> = { decide, evolve, initialState: null }
