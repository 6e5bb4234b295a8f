import type { EnrolmentEvent, EntryCause } from './enrolment.events.ts'

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
  message: Readonly<{ messageId: string; step: number }> | null
}>

/** `causes`: of the last runs, the newest first. `endedAt`: when the last one ended. */
export type EnrolmentState = Readonly<{
  flowId: string
  contactId: string
  run: Run | null
  causes: readonly string[]
  endedAt: string | null
}>

export const neverInside: EnrolmentState = { flowId: '', contactId: '', run: null, causes: [], endedAt: null }

/** Causes that are remembered: one that is delivered again while these are can let no contact in twice. */
export const REMEMBERED_CAUSES = 16

export function evolveEnrolment(state: EnrolmentState, event: EnrolmentEvent): EnrolmentState {
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
