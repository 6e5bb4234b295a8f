import type { SenderAddress, SenderAddressFailure, SenderAddressStatus } from '@tidings/domain'

/** `confirmBy`: when the link of the last mail ends; null where the mailbox was never asked. `mailSent`: whether that mail has left. */
export type AddressRecord = Readonly<{
  id: string
  email: string
  name: string | null
  status: SenderAddressStatus
  reason: SenderAddressFailure | null
  confirmBy: string | null
  mailSent: boolean
}>

export function addressRecord({ addressId, email, name, status, failure, confirmation }: SenderAddress): AddressRecord {
  return {
    ...{ id: addressId, email, name, status },
    reason: failure,
    confirmBy: confirmation?.expiresAt ?? null,
    mailSent: confirmation?.isSent ?? false,
  }
}
