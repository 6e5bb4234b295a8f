import { uuidv7 } from '@tidings/codec'
import { Refused, type SenderAddressFailure, workspace, workspaceStream } from '@tidings/domain'
import type { Receipt } from './receipt.ts'
import type { ReceiptApplied, Runner } from './record-report.ts'

const UNKNOWN: ReceiptApplied = { outcome: 'unknown_message', position: null }

/** A receipt of the mail that asks the mailbox of a sender address to confirm it (M14): its id stands in the stream of the workspace. */
export async function applyConfirmationReceipt({ execute }: Runner, receipt: Receipt): Promise<ReceiptApplied> {
  const reason = failureOf(receipt)
  if (reason === null) return UNKNOWN
  const { workspaceId, messageId: confirmationId, requestId, at } = receipt
  try {
    const { position } = await execute({
      decider: workspace,
      stream: workspaceStream(workspaceId),
      command: { type: 'FailSenderConfirmation', data: { confirmationId, reason, at } },
      context: { commandId: uuidv7(), workspaceId, actor: 'provider', requestId, at },
    })
    return { outcome: position === null ? 'repeated' : 'applied', position }
  } catch (error) {
    if (error instanceof Refused) return UNKNOWN
    throw error
  }
}

/** Null for what says nothing against the address: a delivery, a mailbox that is full. */
const failureOf = ({ type, hard = true }: Receipt): SenderAddressFailure | null => {
  switch (type) {
    case 'bounced':
      return hard ? 'bounced' : null
    case 'complained':
      return 'complained'
    case 'failed':
      return 'bounced'
    case 'delivered':
      return null
    default:
      return type satisfies never
  }
}
