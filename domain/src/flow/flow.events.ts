import type { Json } from '../contact/contact.events.ts'
import type { Event, EventDeclarations } from '../kernel.ts'

/** What lets a contact in (M10). */
export type FlowTrigger =
  | Readonly<{ type: 'contact_created' }>
  | Readonly<{ type: 'list_joined'; listId: string }>
  | Readonly<{ type: 'custom_event'; event: string }>

export type FlowChannel = 'email' | 'sms' | 'push'

/** A year. */
export const MAX_WAIT_MINUTES = 525_600

/** `from`: a sender address or a sender ID; null of a push, which comes from the workspace's own site. `rule`: of the form of M9; `matched` and `otherwise` are `then` and `else` of the workspace file. */
export type FlowStep =
  | Readonly<{ type: 'wait'; minutes: number }>
  | Readonly<{ type: 'send'; channel: 'email' | 'sms'; templateId: string; from: string }>
  | Readonly<{ type: 'send'; channel: 'push'; templateId: string; from: null }>
  | Readonly<{ type: 'branch'; rule: Json; matched: readonly FlowStep[]; otherwise: readonly FlowStep[] }>

export type FlowDefinition = Readonly<{ trigger: FlowTrigger; steps: readonly FlowStep[] }>

// Stored for ever: change only together with an upcast.
/** `version` counts the definitions of a flow from 1; a contact that is inside finishes the version that it entered (M38). */
export type FlowDefined = Event<'FlowDefined', FlowDefinition & { flowId: string; name: string; version: number }>
/** Lets no contact in; what comes due waits (D11). */
type FlowPaused = Event<'FlowPaused', { flowId: string }>
export type FlowResumed = Event<'FlowResumed', { flowId: string }>
/** Lets no contact in; contacts that are inside continue (D10). */
type FlowRetired = Event<'FlowRetired', { flowId: string }>
type FlowRestored = Event<'FlowRestored', { flowId: string }>

export type FlowEvent = FlowDefined | FlowPaused | FlowResumed | FlowRetired | FlowRestored

export const flowDeclarations = {
  FlowDefined: { version: 1 },
  FlowPaused: { version: 1 },
  FlowResumed: { version: 1 },
  FlowRetired: { version: 1 },
  FlowRestored: { version: 1 },
} as const satisfies EventDeclarations & Record<FlowEvent['type'], unknown>
