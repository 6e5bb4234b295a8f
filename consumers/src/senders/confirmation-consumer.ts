import type { Consumer } from '@tidings/bus'
import type { Recorded } from '@tidings/codec'
import type { SenderConfirmationIssued } from '@tidings/domain'
import { type Admission, SENDER_CONFIRMATION } from '@tidings/jobs'

/** Admits every mail that is to ask the mailbox of a sender address (M14). */
export function confirmationConsumer({ admit }: Readonly<{ admit: Admission }>): Consumer {
  return {
    group: SENDER_CONFIRMATION,
    types: ['SenderConfirmationIssued'],
    handle: (events, tx) =>
      admit(
        tx,
        (events as readonly Recorded<SenderConfirmationIssued>[]).map(({ meta, data: { addressId, confirmationId }, position }) => ({
          workspaceId: meta.workspaceId,
          lane: addressId,
          seq: position.commit,
          payload: `${addressId} ${confirmationId}`,
        })),
      ),
  }
}
