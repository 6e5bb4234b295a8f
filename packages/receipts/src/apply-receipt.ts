import { SubjectErased, storableText, uuidv7 } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { type MessageCommand, message, messageStream, Refused } from '@tidings/domain'
import type { Position } from '@tidings/event-store'

/** A provider's report about a message after it was sent. A bounce without `hard` is hard (N171). */
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

/** `position`: the read side shows the change from here on; null when nothing changed. */
type ReceiptApplied = Readonly<{ outcome: 'applied' | 'repeated' | 'unknown_message'; position: Position | null }>

/**
 * Applies a receipt to its message. One that comes too late is kept beside the status, and a repeated one changes nothing. For an erased
 * person only the status is kept. The outcome consumer applies the consequences for the contact, from the log.
 */
export async function applyReceipt(runner: Pick<CommandRunner, 'execute'>, receipt: Receipt): Promise<ReceiptApplied> {
  try {
    return await applyAll(runner, receipt)
  } catch (error) {
    if (!(error instanceof SubjectErased)) throw error
    const { reason, ...rest } = receipt
    // Without its free text it changes the status, or it comes too late and nothing of it may be kept.
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
