import { type FlowMessageOutcome, type MessageEvent, type MessageId, type MessageState, message, messageStream } from '@tidings/domain'
import type { Job, Verdict } from '@tidings/jobs'
import { LATE_MS } from '../send/marketing-checks.ts'
import { refOf } from './flow-kinds.ts'
import { forgetMessage } from './flow-messages.ts'
import { endRun, type FlowWork, move } from './flow-work.ts'
import { type ReadRun, readRun } from './read-run.ts'
import { takeStep } from './take-step.ts'

/**
 * Walks a contact through a flow until something has to be waited for. The log says where the run is, so a job that comes twice, or takes over
 * another worker's, goes on there; each step is recorded before the next begins.
 *
 * - _due_: its next step is taken now.
 * - _waiting_: this job is its due row in the inbox.
 * - _message queued_: the job is done; the outcome of the message admits the next.
 * - _paused_: put off until it is too late for it (M38); a resume makes it due (D11).
 * - _over_: nothing is left to do.
 */
export async function runFlow(work: FlowWork, job: Job, signal: AbortSignal): Promise<Verdict> {
  const ref = refOf(job)
  for (;;) {
    signal.throwIfAborted()
    const read = await readRun(work.log, ref)
    if (read === null) return 'done'
    const verdict = read.run.message === null ? await proceed(work, read) : await resolveMessage(work, read, read.run.message)
    if (verdict !== 'moved') return verdict
  }
}

const proceed = async (work: FlowWork, read: ReadRun): Promise<Verdict | 'moved'> => {
  const { run, ref } = read
  const waitMs = run.waitsUntil === null ? 0 : Date.parse(run.waitsUntil) - work.now()
  if (waitMs > 0) return { type: 'Deferred', inMs: waitMs, counts: false, deferredFor: 'due_time' }
  const status = await work.workspaces.status(ref.workspaceId)
  if (status === 'suspended') return await work.suspended.putOff(ref.workspaceId)
  if (status === 'closed') return await end(work, read, 'workspace_closed')
  const missedInMs = Date.parse(run.dueSince) + LATE_MS - work.now()
  if (missedInMs < 0) return await end(work, read, 'missed')
  if (run.step === null) return await end(work, read, 'finished')
  const flow = await work.flows.find(ref.workspaceId, ref.flowId)
  if (flow?.paused)
    return { type: 'Deferred', inMs: missedInMs + 1, counts: false, isAside: true, deferredFor: 'flow_paused', deferredBy: ref.flowId }
  const program = await work.flows.program(ref.workspaceId, ref.flowId, run.version)
  const instruction = program?.[run.step]
  if (instruction === undefined) return await end(work, read, 'flow_gone')
  return await takeStep(work, { ...read, step: run.step, instruction })
}

const end = async (...[work, read, reason]: Parameters<typeof endRun>): Promise<'moved'> => {
  await endRun(work, read, reason)
  return 'moved'
}

const outcomes: Readonly<Record<Exclude<MessageState['status'], 'none' | 'queued'>, FlowMessageOutcome>> = {
  sent: 'sent',
  delivered: 'sent',
  complained: 'sent',
  bounced: 'failed',
  failed: 'failed',
  suppressed: 'suppressed',
  skipped: 'skipped',
}

/** Lets the run go on, or end, once the message is not queued any more; its outcome admits the job that asks again (D12). */
async function resolveMessage(
  work: FlowWork,
  read: ReadRun,
  { messageId }: Readonly<{ messageId: MessageId }>,
): Promise<Verdict | 'moved'> {
  const { workspaceId } = read.ref
  const events = await work.log.readStream<MessageEvent>(workspaceId, messageStream(workspaceId, messageId))
  let state = message.initialState
  for (const event of events) {
    state = message.evolve(state, event)
    const { status } = state
    if (status === 'none' || status === 'queued') continue
    const command = {
      type: 'ResolveMessage',
      data: { messageId, outcome: outcomes[status], reason: state.failureReason, at: event.meta.at },
    } as const
    // First: this job goes on after a crash without the row, and a row that is left behind would stay.
    await forgetMessage(work.pool, messageId)
    await move(work, read, { command, name: `${messageId}:resolved`, causationId: event.id })
    return 'moved'
  }
  return 'done'
}
