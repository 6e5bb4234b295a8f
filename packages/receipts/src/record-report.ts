import { SubjectErased, uuidv7 } from '@tidings/codec'
import type { CommandExecutor } from '@tidings/commands'
import { type MessageCommand, type MessageId, message, messageStream, Refused, type WorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { type Traces, traces } from '@tidings/observability/traces'

/** What a provider said about a message, as a command for it. `at`: when it was received, ISO with milliseconds (M12). */
type Report = Readonly<{ workspaceId: WorkspaceId; messageId: MessageId; at: string; requestId: string; command: MessageCommand }>

/** `position`: the read side shows the change from here on; null when nothing changed. */
export type ReceiptApplied = Readonly<{ outcome: 'applied' | 'repeated' | 'unknown_message'; position: Position | null }>

export type Runner = CommandExecutor

/**
 * Records a report. One that comes too late is kept beside the status, and a repeated one changes nothing. For an erased person only the
 * status is kept.
 */
export async function recordReport(runner: Runner, report: Report): Promise<ReceiptApplied> {
  try {
    return await record(runner, report)
  } catch (error) {
    if (!(error instanceof SubjectErased)) throw error
    const command = withoutDetail(report.command)
    // A report without its free text changes the status, or it comes too late and nothing of it may be kept.
    return command === null ? { outcome: 'repeated', position: null } : await recordReport(runner, { ...report, command })
  }
}

function record(runner: Runner, report: Report): Promise<ReceiptApplied> {
  const all = traces()
  return all === null ? write(runner, report) : recorded(all, runner, report)
}

/** A report belongs to the trace of its message, and is linked with the request that brought it (M69), which may be about a thousand messages. */
async function recorded(all: Traces, runner: Runner, report: Report): Promise<ReceiptApplied> {
  const { messageId, workspaceId, requestId } = report
  const around = all.active()
  const attributes = { 'tidings.workspace': workspaceId, 'tidings.request_id': requestId }
  const links = around === null ? [] : [around.context]
  return await all.join([messageId], { name: 'process receipt', kind: 'consumer', links, attributes }, async (span) => {
    if (span !== null) around?.link(span.context)
    const applied = await write(runner, report)
    span?.set({ 'tidings.outcome': applied.outcome })
    return applied
  })
}

async function write({ execute }: Runner, { command, workspaceId, messageId, requestId, at }: Report): Promise<ReceiptApplied> {
  try {
    const { position } = await execute({
      decider: message,
      stream: messageStream(workspaceId, messageId),
      command,
      context: { commandId: uuidv7(), workspaceId, actor: 'provider', requestId, at },
    })
    return { outcome: position === null ? 'repeated' : 'applied', position }
  } catch (error) {
    if (error instanceof Refused && error.code === 'message_not_found') return { outcome: 'unknown_message', position: null }
    throw error
  }
}

function withoutDetail(command: MessageCommand): MessageCommand | null {
  if ((command.type !== 'RecordBounced' && command.type !== 'RecordFailed') || command.data.detail === null) return null
  return command.type === 'RecordBounced'
    ? { ...command, data: { ...command.data, detail: null } }
    : { ...command, data: { ...command.data, detail: null } }
}
