import type { FlowChannel } from '../flow/flow.events.ts'
import type { Event, EventDeclarations } from '../kernel.ts'

type OfRun = { flowId: string; contactId: string; runId: string }
/** `step` counts as `flowProgram` does; `next` is the step that follows, null where the flow ends. */
type OfStep = OfRun & { step: number; next: number | null }

/** The event that let the contact in. `at`: when it was recorded. */
export type EntryCause = Readonly<{ eventId: string; type: string; stream: string; at: string }>

/** Why a step did nothing. */
export type SkipReason = 'no_address' | 'template_render_failed'

/** Why a run is over. `missed`: it was more than 24 h late (M38). */
export type RunEnd =
  | 'finished'
  | 'missed'
  | 'suppressed'
  | 'no_consent'
  | 'contact_gone'
  | 'template_gone'
  | 'flow_gone'
  | 'workspace_closed'

/** What became of a message of a run; `suppressed`, and `skipped` without consent, end it (D12). */
export type FlowMessageOutcome = 'sent' | 'skipped' | 'failed' | 'suppressed'

// Stored for ever: change only together with an upcast.
/** `earlier`: the causes of the runs before this one, the newest first, as many as are remembered. */
export type ContactEnteredFlow = Event<'ContactEnteredFlow', OfRun & { version: number; cause: EntryCause; earlier: readonly string[] }>
type FlowWaitBegun = Event<'FlowWaitBegun', OfStep & { until: string }>
type FlowBranchTaken = Event<'FlowBranchTaken', OfStep & { branch: 'then' | 'else' }>
type FlowMessageQueued = Event<'FlowMessageQueued', OfStep & { messageId: string; channel: FlowChannel }>
/** The steps behind the message are due from `at`. */
type FlowMessageResolved = Event<
  'FlowMessageResolved',
  OfStep & { messageId: string; outcome: FlowMessageOutcome; reason: string | null; at: string }
>
type FlowStepSkipped = Event<'FlowStepSkipped', OfStep & { reason: SkipReason }>
export type ContactLeftFlow = Event<'ContactLeftFlow', OfRun & { reason: RunEnd; at: string }>

export type EnrolmentEvent =
  | ContactEnteredFlow
  | FlowWaitBegun
  | FlowBranchTaken
  | FlowMessageQueued
  | FlowMessageResolved
  | FlowStepSkipped
  | ContactLeftFlow

export const enrolmentDeclarations = {
  ContactEnteredFlow: { version: 1 },
  FlowWaitBegun: { version: 1 },
  FlowBranchTaken: { version: 1 },
  FlowMessageQueued: { version: 1 },
  FlowMessageResolved: { version: 1 },
  FlowStepSkipped: { version: 1 },
  ContactLeftFlow: { version: 1 },
} as const satisfies EventDeclarations & Record<EnrolmentEvent['type'], unknown>
