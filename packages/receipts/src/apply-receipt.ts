import { emailKey, normalizeEmail } from '@tidings/addresses'
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

function toCommand({ type, hard = true, reason, recipients }: Receipt): MessageCommand {
  // A message has an address in the form of M46, or as a log from before it was written.
  const named = recipients && { named: recipients.flatMap((address) => [address, normalizeEmail(address), emailKey(address)]) }
  const detail = reason === undefined ? null : storableText(reason)
  switch (type) {
    case 'delivered':
      return { type: 'RecordDelivered', data: { ...named } }
    case 'complained':
      return { type: 'RecordComplained', data: {} }
    case 'bounced':
      return { type: 'RecordBounced', data: { reason: hard ? 'hard_bounce' : 'soft_bounce', hard, detail, ...named } }
    case 'failed':
      return { type: 'RecordFailed', data: { reason: 'undeliverable', detail, ...named } }
    default:
      return type satisfies never
  }
}
