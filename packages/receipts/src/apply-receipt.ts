import { storableText } from '@tidings/codec'
import type { MessageCommand } from '@tidings/domain'
import { applyConfirmationReceipt } from './confirmation-receipt.ts'
import type { Receipt } from './receipt.ts'
import { type ReceiptApplied, type Runner, recordReport } from './record-report.ts'

/** Applies a receipt to its message, or to the mail that asked a sender address to confirm. The outcome consumer applies the consequences for the contact, from the log. */
export async function applyReceipt(runner: Runner, receipt: Receipt): Promise<ReceiptApplied> {
  const applied = await recordReport(runner, { ...receipt, command: toCommand(receipt) })
  return applied.outcome === 'unknown_message' ? await applyConfirmationReceipt(runner, receipt) : applied
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
