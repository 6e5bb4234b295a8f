import type { Json } from '../contact/contact.events.ts'
import type { Event, EventDeclarations } from '../kernel.ts'

/** What lets a contact in (M10). */
export type FlowTrigger =
  | Readonly<{ type: 'contact_created' }>
  | Readonly<{ type: 'list_joined'; listId: string }>
  | Readonly<{ type: 'custom_event'; event: string }>

export type FlowChannel = 'email' | 'sms'

/** `from`: a sender address or a sender ID. `rule`: of the form of M9; `matched` and `otherwise` are `then` and `else` of the workspace file. */
export type FlowStep =
  | Readonly<{ type: 'wait'; minutes: number }>
  | Readonly<{ type: 'send'; channel: FlowChannel; templateId: string; from: string }>
  | Readonly<{ type: 'branch'; rule: Json; matched: readonly FlowStep[]; otherwise: readonly FlowStep[] }>

export type FlowDefinition = Readonly<{ trigger: FlowTrigger; steps: readonly FlowStep[] }>

// Stored for ever: change only together with an upcast.
/** `version` counts the definitions of a flow from 1; who is inside finishes the version that he entered (M38). */
export type FlowDefined = Event<'FlowDefined', FlowDefinition & { flowId: string; name: string; version: number }>
/** Lets nobody in; what comes due waits (D11). */
export type FlowPaused = Event<'FlowPaused', { flowId: string }>
export type FlowResumed = Event<'FlowResumed', { flowId: string }>
/** Lets nobody in; who is inside goes on (D10). */
export type FlowRetired = Event<'FlowRetired', { flowId: string }>
export type FlowRestored = Event<'FlowRestored', { flowId: string }>

export type FlowEvent = FlowDefined | FlowPaused | FlowResumed | FlowRetired | FlowRestored

export const flowDeclarations = {
  FlowDefined: { version: 1 },
  FlowPaused: { version: 1 },
  FlowResumed: { version: 1 },
  FlowRetired: { version: 1 },
  FlowRestored: { version: 1 },
} satisfies EventDeclarations & Record<FlowEvent['type'], unknown>
