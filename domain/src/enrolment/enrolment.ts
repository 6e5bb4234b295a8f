import type { FlowChannel } from '../flow/flows.ts'
import { asContactId, asFlowId, type ContactId, type FlowId, type MessageId, type WorkspaceId } from '../ids.ts'
import type { Command, Decider, Event, EventDeclarations } from '../kernel.ts'

type OfRun = { flowId: FlowId; contactId: ContactId; runId: string }
/** `step` counts as `flowProgram` does; `next` is the step that follows, null where the flow ends. */
type OfStep = OfRun & { step: number; next: number | null }

/** The event that let the contact in. `at`: when it was recorded. */
export type EntryCause = Readonly<{ eventId: string; type: string; stream: string; at: string }>

/** The reason for which a step did nothing. */
export type SkipReason = 'no_address' | 'template_render_failed'

/** The reason for which a run is over. `missed`: it was more than 24 h late (M38). */
export type RunEnd =
  | 'finished'
  | 'missed'
  | 'suppressed'
  | 'no_consent'
  | 'contact_gone'
  | 'template_gone'
  | 'flow_gone'
  | 'workspace_closed'

/** The outcome of a message of a run; `suppressed`, and `skipped` without consent, end it (D12). */
export type FlowMessageOutcome = 'sent' | 'skipped' | 'failed' | 'suppressed'

// Stored for ever: change only together with an upcast.
/** `earlier`: the causes of the runs before this one, the newest first, as many as are remembered. */
export type ContactEnteredFlow = Event<'ContactEnteredFlow', OfRun & { version: number; cause: EntryCause; earlier: readonly string[] }>
type FlowWaitBegun = Event<'FlowWaitBegun', OfStep & { until: string }>
type FlowBranchTaken = Event<'FlowBranchTaken', OfStep & { branch: 'then' | 'else' }>
type FlowMessageQueued = Event<'FlowMessageQueued', OfStep & { messageId: MessageId; channel: FlowChannel }>
/** The steps behind the message are due from `at`. */
type FlowMessageResolved = Event<
  'FlowMessageResolved',
  OfStep & { messageId: MessageId; outcome: FlowMessageOutcome; reason: string | null; at: string }
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

/**
 * A run that is not over. Exactly one of these holds: it waits until `waitsUntil`; its `message` is queued; or its `step` is due since
 * `dueSince`. `step` is null where nothing follows what it waits for.
 */
export type Run = Readonly<{
  runId: string
  version: number
  cause: EntryCause
  step: number | null
  dueSince: string
  waitsUntil: string | null
  message: Readonly<{ messageId: MessageId; step: number }> | null
}>

/** `causes`: of the last runs, the newest first. `endedAt`: when the last one ended. */
export type EnrolmentState = Readonly<{
  flowId: FlowId
  contactId: ContactId
  run: Run | null
  causes: readonly string[]
  endedAt: string | null
}>

const neverInside: EnrolmentState = { flowId: asFlowId(''), contactId: asContactId(''), run: null, causes: [], endedAt: null }

/** Causes that are remembered: one that is delivered again while these are can let no contact in twice. */
export const REMEMBERED_CAUSES = 16

function evolveEnrolment(state: EnrolmentState, event: EnrolmentEvent): EnrolmentState {
  if (event.type === 'ContactEnteredFlow') return entered(event.data)
  if (event.type === 'ContactLeftFlow') return { ...state, run: null, endedAt: event.data.at }
  return state.run === null ? state : { ...state, run: stepped(state.run, event) }
}

const entered = ({
  flowId,
  contactId,
  runId,
  version,
  cause,
  earlier,
}: Extract<EnrolmentEvent, { type: 'ContactEnteredFlow' }>['data']) => ({
  flowId,
  contactId,
  run: { runId, version, cause, step: 0, dueSince: cause.at, waitsUntil: null, message: null },
  causes: [cause.eventId, ...earlier],
  endedAt: null,
})

const stepped = (run: Run, event: Exclude<EnrolmentEvent, { type: 'ContactEnteredFlow' | 'ContactLeftFlow' }>): Run => {
  const moved = { ...run, step: event.data.next, waitsUntil: null, message: null }
  switch (event.type) {
    case 'FlowWaitBegun':
      return { ...moved, waitsUntil: event.data.until, dueSince: event.data.until }
    case 'FlowMessageQueued':
      return { ...moved, message: { messageId: event.data.messageId, step: event.data.step } }
    case 'FlowMessageResolved':
      return { ...moved, dueSince: event.data.at }
    case 'FlowBranchTaken':
    case 'FlowStepSkipped':
      return moved
    default:
      return event satisfies never
  }
}

type Step = { runId: string; step: number; next: number | null; at: string }
/**
 * Lets the contact in, unless it is inside, or the event was there before the last run ended (D10). `isAfter`: the log has the cause behind the end of
 * the run that ended at this time, and no clock says so as surely; null where none ended, or it has not.
 */
type EnterFlow = Command<
  'EnterFlow',
  { flowId: FlowId; contactId: ContactId; runId: string; version: number; cause: EntryCause; isAfter?: string | null }
>
type BeginWait = Command<'BeginWait', Step & { until: string }>
type TakeBranch = Command<'TakeBranch', Step & { branch: 'then' | 'else' }>
/** The message is accepted under this id. */
type QueueMessage = Command<'QueueMessage', Step & { messageId: MessageId; channel: FlowChannel }>
type SkipStep = Command<'SkipStep', Step & { reason: SkipReason }>
type ResolveMessage = Command<'ResolveMessage', { messageId: MessageId; outcome: FlowMessageOutcome; reason: string | null; at: string }>
type EndRun = Command<'EndRun', { runId: string; reason: RunEnd; at: string }>
type StepCommand = BeginWait | TakeBranch | QueueMessage | SkipStep
export type EnrolmentCommand = EnterFlow | StepCommand | ResolveMessage | EndRun

/** The runs of one contact through one flow, one after the other: so the stream itself lets it in at most once at a time (docs/adr/0023). */
export function enrolmentStream(workspaceId: WorkspaceId, flowId: FlowId, contactId: ContactId): string {
  return `enrolment-${workspaceId}-${flowId}-${contactId}`
}

const decide = (command: EnrolmentCommand, state: EnrolmentState): readonly EnrolmentEvent[] => {
  if (command.type === 'EnterFlow') return enter(command.data, state)
  const { run, flowId, contactId } = state
  if (run === null) return []
  const of = { flowId, contactId, runId: run.runId }
  switch (command.type) {
    case 'ResolveMessage':
      return resolve(command.data, of, run)
    case 'EndRun':
      return command.data.runId === run.runId ? [left(of, command.data.reason, command.data.at)] : []
    default:
      return isNextStep(command, run) ? stepEvents(command, of) : []
  }
}

const enter = ({ cause, isAfter = null, ...entry }: EnterFlow['data'], state: EnrolmentState): readonly EnrolmentEvent[] => {
  const cameBefore = state.endedAt !== null && state.endedAt !== isAfter && cause.at <= state.endedAt
  const isOld = state.causes.includes(cause.eventId) || cameBefore
  if (state.run !== null || isOld) return []
  return [{ type: 'ContactEnteredFlow', data: { ...entry, cause, earlier: state.causes.slice(0, REMEMBERED_CAUSES - 1) } }]
}

/** Each step once, in its order, and none before its time: what was decided on an older state changes nothing. */
const isNextStep = ({ data }: StepCommand, { runId, step, message, waitsUntil }: Run): boolean =>
  data.runId === runId && data.step === step && message === null && (waitsUntil === null || waitsUntil <= data.at)

const stepEvents = ({ type, data }: StepCommand, of: OfRun): readonly EnrolmentEvent[] => {
  const ofStep = { ...of, step: data.step, next: data.next }
  const ended = data.next === null ? [left(of, 'finished', data.at)] : []
  switch (type) {
    case 'BeginWait':
      return [{ type: 'FlowWaitBegun', data: { ...ofStep, until: data.until } }]
    case 'QueueMessage':
      return [{ type: 'FlowMessageQueued', data: { ...ofStep, messageId: data.messageId, channel: data.channel } }]
    case 'TakeBranch':
      return [{ type: 'FlowBranchTaken', data: { ...ofStep, branch: data.branch } }, ...ended]
    case 'SkipStep':
      return [{ type: 'FlowStepSkipped', data: { ...ofStep, reason: data.reason } }, ...ended]
    default:
      return type satisfies never
  }
}

const resolve = (data: ResolveMessage['data'], of: OfRun, { message, step: next }: Run): readonly EnrolmentEvent[] => {
  if (message === null || message.messageId !== data.messageId) return []
  const end = endOf(data) ?? (next === null ? 'finished' : null)
  return [
    { type: 'FlowMessageResolved', data: { ...of, step: message.step, next, ...data } },
    ...(end === null ? [] : [left(of, end, data.at)]),
  ]
}

/** A message that was suppressed because of the recipient ends the run; one too many for the cap does not (D12). */
const endOf = ({ outcome, reason }: ResolveMessage['data']): RunEnd | null => {
  if (outcome === 'suppressed') return 'suppressed'
  if (outcome === 'skipped' && reason === 'no_consent') return 'no_consent'
  return outcome === 'failed' && reason === 'expired' ? 'missed' : null
}

const left = (of: OfRun, reason: RunEnd, at: string): EnrolmentEvent => ({ type: 'ContactLeftFlow', data: { ...of, reason, at } })

/** A contact's way through a flow. Every command that was carried out before, or that comes late, is already so. */
export const enrolment: Decider<EnrolmentCommand, EnrolmentEvent, EnrolmentState> = {
  decide,
  evolve: evolveEnrolment,
  initialState: neverInside,
  carriesState: ({ type }) => type === 'ContactEnteredFlow',
}
