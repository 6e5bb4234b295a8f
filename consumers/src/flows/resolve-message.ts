import { type FlowMessageOutcome, type MessageEvent, type MessageId, type MessageState, message, messageStream } from '@tidings/domain'
import type { Verdict } from '@tidings/jobs'
import { forgetMessage } from './flow-messages.ts'
import { type FlowWork, move } from './flow-work.ts'
import type { ReadRun } from './read-run.ts'

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
export async function resolveMessage(
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
