import { storableText } from '@tidings/codec'
import type { MessageCommand, MessageId, WorkspaceId } from '@tidings/domain'
import type { SmsReceipt } from '@tidings/providers'
import { type ReceiptApplied, type Runner, recordReport } from '../record-report.ts'

/** A report about a text message or a call whose message is known. `provider`: its name, for one that is not known as sent. */
export type KnownSmsReceipt = SmsReceipt & Readonly<{ workspaceId: WorkspaceId; messageId: MessageId; provider: string; requestId: string }>

/**
 * Applies a report to its message (N171). `sent` is news only where the provider's answer is missing; a passcode is sent by its answer
 * alone. What follows for the contact is the outcome consumer's.
 */
export function applySmsReceipt(runner: Runner, receipt: KnownSmsReceipt): Promise<ReceiptApplied> {
  return recordReport(runner, { ...receipt, command: toCommand(receipt) })
}

function toCommand({ status, reason, detail, provider, providerMessageId, recipients }: KnownSmsReceipt): MessageCommand {
  const named = recipients && { named: recipients }
  switch (status) {
    case 'sent':
      return { type: 'ConfirmSent', data: { provider, providerMessageId, ...named } }
    case 'delivered':
      return { type: 'RecordDelivered', data: { ...named } }
    case 'failed':
      return {
        type: 'RecordFailed',
        data: { reason: reason ?? 'undeliverable', detail: detail === null ? null : storableText(detail), ...named },
      }
    default:
      return status satisfies never
  }
}
