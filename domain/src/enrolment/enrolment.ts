import type { FlowChannel } from '../flow/flow.events.ts'
import type { Command, Decider } from '../kernel.ts'
import type { EnrolmentEvent, EntryCause, FlowMessageOutcome, RunEnd, SkipReason } from './enrolment.events.ts'
import { type EnrolmentState, evolveEnrolment, neverInside, REMEMBERED_CAUSES, type Run } from './enrolment-state.ts'

type Step = { runId: string; step: number; next: number | null; at: string }
/** Lets the contact in, unless it is inside, or the event was there before the last run ended (D10). */
/** `isAfter`: the log has the cause behind the end of the run that ended at this time: no clock says so as surely. Null where none ended, or it has not. */
type EnterFlow = Command<
  'EnterFlow',
  { flowId: string; contactId: string; runId: string; version: number; cause: EntryCause; isAfter?: string | null }
>
type BeginWait = Command<'BeginWait', Step & { until: string }>
type TakeBranch = Command<'TakeBranch', Step & { branch: 'then' | 'else' }>
/** The message is accepted under this id. */
type QueueMessage = Command<'QueueMessage', Step & { messageId: string; channel: FlowChannel }>
type SkipStep = Command<'SkipStep', Step & { reason: SkipReason }>
type ResolveMessage = Command<'ResolveMessage', { messageId: string; outcome: FlowMessageOutcome; reason: string | null; at: string }>
type EndRun = Command<'EndRun', { runId: string; reason: RunEnd; at: string }>
type StepCommand = BeginWait | TakeBranch | QueueMessage | SkipStep
export type EnrolmentCommand = EnterFlow | StepCommand | ResolveMessage | EndRun

/** The runs of one contact through one flow, one after the other: so the stream itself lets it in at most once at a time (docs/adr/0023). */
export function enrolmentStream(workspaceId: string, flowId: string, contactId: string): string {
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
      return isNextStep(command, run) ? stepped(command, of) : []
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

type OfRun = Readonly<{ flowId: string; contactId: string; runId: string }>

const stepped = ({ type, data }: StepCommand, of: OfRun): readonly EnrolmentEvent[] => {
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

/** A message that was held back because of the recipient ends the run; one too many for the cap does not (D12). */
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
