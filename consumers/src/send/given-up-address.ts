import { type MaybePromise, whenKnown } from '@tidings/async'
import type { Recorded } from '@tidings/codec'
import {
  ADDRESS_REASONS,
  type AddressReason,
  type ClaimKind,
  type ContactState,
  type EmailAccepted,
  type SmsAccepted,
  type SuppressionReason,
  type WorkspaceId,
} from '@tidings/domain'
import type { Recipient } from '../views/recipient-view.ts'
import { goesToContact, hasMoved } from './handed-to.ts'

/** What is known of an address, and the contact that has it: `addressNow` of `@tidings/unique-contacts`. */
export type AddressNow = (
  workspaceId: WorkspaceId,
  kind: ClaimKind,
  value: string,
) => Promise<Readonly<{ facts: Readonly<{ reasons: readonly AddressReason[] }>; owner: Readonly<{ state: ContactState }> | null }>>

const isOfPerson = (reason: SuppressionReason): boolean => !ADDRESS_REASONS.some((one) => one === reason)

/**
 * The facts by which a message is checked. A message to a `to` that its contact has given up still goes there, and is checked by the facts of that address, not by
 * those of the contact's new one. Facts of persons count too: those of its contact, and of the contact that has the address by now (M45).
 */
export function judgedAt(
  addressNow: AddressNow | undefined,
  { meta, data }: Recorded<EmailAccepted | SmsAccepted>,
  recipient: Recipient,
): MaybePromise<Recipient> {
  if (data.kind !== 'transactional' || goesToContact(data) || !recipient.exists || !hasMoved(data, recipient)) return recipient
  const channel = data.channel === 'email' ? 'email' : 'sms'
  const kind = channel === 'email' ? 'email' : 'phone'
  return whenKnown(addressNow?.(meta.workspaceId, kind, data.to) ?? null, (known) => {
    const reasons = (of: readonly SuppressionReason[]): readonly SuppressionReason[] => [
      ...of.filter(isOfPerson),
      ...(channel === 'email' ? (known?.facts.reasons ?? []) : []),
      ...(known?.owner?.state.suppressions[channel] ?? []),
    ]
    return channel === 'email'
      ? { ...recipient, emailSuppressions: reasons(recipient.emailSuppressions) }
      : { ...recipient, smsSuppressions: reasons(recipient.smsSuppressions) }
  })
}
