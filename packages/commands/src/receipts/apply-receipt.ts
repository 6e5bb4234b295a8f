import { SubjectErased, storableText, uuidv7 } from '@tidings/codec'
import { type MessageCommand, message, messageStream, Refused } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { CommandRunner } from '../execution.ts'

/** What a provider says about a message later on. A bounce that does not say `hard` is hard (decisions.md N171). */
export type Receipt = Readonly<{
  workspaceId: string
  messageId: string
  type: 'delivered' | 'bounced' | 'complained' | 'failed'
  hard?: boolean
  reason?: string
  /** When it happened, ISO with milliseconds. */
  at: string
  /** The correlation of the call that brought it. */
  requestId: string
}>

/** `position` is where to wait for the read side; null when nothing changed. */
export type ReceiptApplied = Readonly<{ outcome: 'applied' | 'repeated' | 'unknown_message'; position: Position | null }>

/**
 * Applies a receipt to its message. One that comes too late is kept beside the status, a repeated one changes nothing; of a person who was
 * erased since, only the status is. What follows for the contact is done by the outcome consumer, from the log.
 */
export async function applyReceipt(runner: Pick<CommandRunner, 'execute'>, receipt: Receipt): Promise<ReceiptApplied> {
  try {
    return await applyAll(runner, receipt)
  } catch (error) {
    if (!(error instanceof SubjectErased)) throw error
    const { reason, ...rest } = receipt
    // Without its words it moves the status, or it comes too late and has nothing that may be kept.
    return reason === undefined ? { outcome: 'repeated', position: null } : await applyReceipt(runner, rest)
  }
}

async function applyAll({ execute }: Pick<CommandRunner, 'execute'>, receipt: Receipt): Promise<ReceiptApplied> {
  const { workspaceId, messageId, requestId, at } = receipt
  try {
    const { position } = await execute({
      decider: message,
      stream: messageStream(workspaceId, messageId),
      command: toCommand(receipt),
      context: { commandId: uuidv7(), workspaceId, actor: 'provider', requestId, at },
    })
    return { outcome: position === null ? 'repeated' : 'applied', position }
  } catch (error) {
    if (error instanceof Refused && error.code === 'message_not_found') return { outcome: 'unknown_message', position: null }
    throw error
  }
}

function toCommand({ type, hard = true, reason }: Receipt): MessageCommand {
  const detail = reason === undefined ? null : storableText(reason)
  switch (type) {
    case 'delivered':
      return { type: 'RecordDelivered', data: {} }
    case 'complained':
      return { type: 'RecordComplained', data: {} }
    case 'bounced':
      return { type: 'RecordBounced', data: { reason: hard ? 'hard_bounce' : 'soft_bounce', hard, detail } }
    case 'failed':
      return { type: 'RecordFailed', data: { reason: 'undeliverable', detail } }
    default:
      return type satisfies never
  }
}
